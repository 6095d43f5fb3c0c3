/** The profile as a customer's phone shows it, with what is typed and not saved. */
import { Globe, Mail, MapPin, Store } from "lucide-react";
import type { ReactNode } from "react";
import { verticals } from "#src/domain/numbers/business-profile.ts";
import { addressOf } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import type { NumberProfile, SendingNumber } from "./number-view.ts";
import type { ProfileDraft } from "./profile-form.tsx";
import { strings } from "./profile-strings.ts";

interface PreviewProps {
  number: SendingNumber;
  profile: NumberProfile;
  draft: ProfileDraft | null;
  photo: string | null;
}

export function ProfilePreview({ number, profile, draft, photo }: PreviewProps) {
  const { about, description, address, email, vertical } = draft ?? profile;
  const websites = draft === null ? profile.websites : [draft.website1, draft.website2];
  const kind = vertical === "UNDEFINED" ? undefined : (verticals as Readonly<Record<string, string>>)[vertical];
  return (
    <section aria-label={strings.preview} className="wide:sticky wide:top-6 wide:self-start">
      <div className="mx-auto max-w-88 overflow-hidden rounded-[2rem] border-4 border-edge bg-surface">
        <div className="flex flex-col items-center gap-2 bg-sunken px-4 pt-8 pb-5 text-center">
          <Photo number={number} profile={profile} photo={photo} />
          <p className="max-w-full text-section font-semibold wrap-anywhere">
            {number.state?.verified_name ?? (number.name || strings.noName)}
          </p>
          <p className="text-quiet figures">{number.phone}</p>
          {profile.username !== null && <p className="text-quiet">@{profile.username.username}</p>}
          <p className="text-label text-quiet">{strings.business}</p>
        </div>
        <div className="flex flex-col gap-3 px-4 py-5">
          {description !== "" && <p className="whitespace-pre-line wrap-anywhere">{description}</p>}
          {kind !== undefined && <Line icon={<Store aria-hidden size={16} />}>{kind}</Line>}
          {address !== "" && <Line icon={<MapPin aria-hidden size={16} />}>{address}</Line>}
          {email !== "" && <Line icon={<Mail aria-hidden size={16} />}>{email}</Line>}
          {websites
            .filter((one) => one.trim() !== "")
            .map((website, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two fields, whose texts may be the same.
              <Line key={index} icon={<Globe aria-hidden size={16} />}>
                {website}
              </Line>
            ))}
          <p className="border-t border-line pt-3 wrap-anywhere">
            {about === "" ? <span className="text-quiet">{strings.noAbout}</span> : about}
          </p>
        </div>
      </div>
      <p className="mt-2 text-center text-label text-quiet">{strings.previewNote}</p>
    </section>
  );
}

function Photo({ number: { id }, profile, photo }: Omit<PreviewProps, "draft">) {
  const { id: workspace } = useWorkspace();
  const saved =
    profile.photo === null
      ? null
      : addressOf("GET /w/{workspace}/numbers/{id}/photo", { workspace, id, query: { of: profile.photo } });
  const shown = photo ?? saved;
  if (shown === null) {
    return (
      <span className="flex size-28 items-center justify-center rounded-full bg-grey-tint text-grey">
        <Store aria-hidden size={40} />
      </span>
    );
  }
  return <img src={shown} alt={strings.photoAlt} className="size-28 rounded-full object-cover" />;
}

function Line({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <p className="flex items-start gap-3">
      <span className="mt-0.5 shrink-0 text-quiet">{icon}</span>
      <span className="min-w-0 whitespace-pre-line wrap-anywhere">{children}</span>
    </p>
  );
}
