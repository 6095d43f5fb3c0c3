/**
 * The names of a template's placeholders in the order of values by position. Where a name has left the text: the order
 * before and the new one, which an owner confirms.
 */
import { request } from "../../data/api.ts";
import { may, useWorkspace } from "../../data/session.ts";
import { ConfirmButton } from "../../ui/dialog.tsx";
import { Section } from "../../ui/page.tsx";
import { strings } from "./strings.ts";
import type { Template } from "./template-view.ts";
import { useChanged } from "./use-changed.ts";

type Order = NonNullable<Template["parameter_order"]>;

export function TemplateOrder({ template }: { template: Template }) {
  const { parameter_order: order, order_to_confirm: before } = template;
  if (order === null || (before === null && order.header.length + order.body.length === 0)) return null;
  if (before !== null) return <OpenOrder template={template} before={before} after={order} />;
  return (
    <Section title={strings.order} lead={strings.orderText}>
      <Names order={order} />
    </Section>
  );
}

function OpenOrder({ template, before, after }: { template: Template; before: Order; after: Order }) {
  const workspace = useWorkspace();
  const changed = useChanged();
  return (
    <Section title={strings.order} lead={strings.orderOpenText}>
      <div className="flex flex-col gap-4">
        <Both before={before} after={after} />
        {may(workspace, "manage") ? (
          <div>
            <ConfirmButton
              title={strings.orderConfirmTitle}
              action={strings.orderConfirm}
              cancelLabel={strings.orderKeep}
              act={async (key) => {
                const path = { workspace: workspace.id, id: template.id, body: after };
                await changed(
                  await request("PUT /w/{workspace}/templates/{id}/order", path, { key }),
                  strings.orderConfirmed,
                );
              }}
            >
              <p>{strings.orderConfirmText}</p>
            </ConfirmButton>
          </div>
        ) : (
          <p className="text-quiet">{strings.orderByOwner}</p>
        )}
      </div>
    </Section>
  );
}

function Both({ before, after }: { before: Order; after: Order }) {
  return (
    <div className="grid gap-4 mid:grid-cols-2">
      <section aria-label={strings.orderBefore}>
        <h3 className="mb-1 font-semibold">{strings.orderBefore}</h3>
        <Names order={before} other={after} mark={strings.orderGone} />
      </section>
      <section aria-label={strings.orderAfter}>
        <h3 className="mb-1 font-semibold">{strings.orderAfter}</h3>
        <Names order={after} other={before} mark={strings.orderNew} />
      </section>
    </div>
  );
}

/** `mark`: what is written behind a name that `other` lacks. */
function Names({ order, other = order, mark = "" }: { order: Order; other?: Order; mark?: string }) {
  const parts = (["header", "body"] as const).filter((part) => order[part].length > 0);
  if (parts.length === 0) return <p className="text-quiet">{strings.orderNone}</p>;
  return (
    <div className="flex flex-col gap-2">
      {parts.map((part) => (
        <div key={part}>
          {(order.header.length > 0 || other.header.length > 0) && (
            <p className="text-label text-quiet">{part === "header" ? strings.orderHeader : strings.orderBody}</p>
          )}
          <ol className="list-inside list-decimal">
            {order[part].map((name) => (
              <li key={name} className="break-words">
                <code>{name}</code>
                {!other[part].includes(name) && <span className="ms-2 text-quiet">{mark}</span>}
              </li>
            ))}
          </ol>
        </div>
      ))}
    </div>
  );
}
