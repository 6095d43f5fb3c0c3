/** Shared by the console's black-box tests: browsers with a cookie and a form key, users of each role, their links. */
import { expect } from "bun:test";
import { inviteUser } from "#src/domain/users/invite.ts";
import { createSetupLink } from "#src/domain/users/links.ts";
import type { Role } from "#src/domain/users/roles.ts";
import type { Answered, TestServer } from "./server.ts";

export const PASSWORD = "correct horse battery";
const API = "/console/api";

export class Visitor {
  readonly #app: TestServer;
  cookie: string | null = null;
  /** Cookies of known devices by name. */
  readonly devices = new Map<string, string>();
  /** The client's address as a trusted proxy forwards it; null: none. */
  address: string | null = null;

  constructor(app: TestServer) {
    this.#app = app;
  }

  /** Sends as the console's own page does. `key`: the form's; `headers` come last. */
  async ask(
    method: string,
    path: string,
    body?: unknown,
    given: { key?: string; headers?: Record<string, string> } = {},
  ): Promise<Answered> {
    const answered = await this.#app.call(method, API + path, {
      ...(method === "GET" ? {} : { body: body ?? {} }),
      headers: {
        "sec-fetch-site": "same-origin",
        ...this.#cookies(),
        ...(this.address === null ? {} : { "x-forwarded-for": this.address }),
        ...(given.key === undefined ? {} : { "idempotency-key": given.key }),
        ...given.headers,
      },
    });
    const set = answered.headers.getSetCookie().find((one) => /^(__Host-)?waxwing=/.test(one));
    for (const one of answered.headers.getSetCookie()) {
      const device = /^(?:__Host-)?(waxwing-device-\d+)=[^;]+/.exec(one);
      if (device?.[1] !== undefined) this.devices.set(device[1], device[0]);
    }
    if (set !== undefined) this.cookie = /=;/.test(set) ? null : (set.split(";")[0] ?? null);
    return answered;
  }

  #cookies(): Record<string, string> {
    const all = [...(this.cookie === null ? [] : [this.cookie]), ...this.devices.values()];
    return all.length === 0 ? {} : { cookie: all.join("; ") };
  }

  get = (path: string): Promise<Answered> => this.ask("GET", path);
  post = (path: string, body?: unknown, given?: Parameters<Visitor["ask"]>[3]): Promise<Answered> =>
    this.ask("POST", path, body, given);

  async signIn(email: string, password = PASSWORD, code?: string): Promise<Answered> {
    return this.post("/sign-in", { email, password, ...(code === undefined ? {} : { code }) });
  }
}

/** The first operator, created by the link that a first start prints. */
export async function firstOperator(app: TestServer, email = "op@example.com"): Promise<Visitor> {
  const link = await app.store.write(createSetupLink);
  const visitor = new Visitor(app);
  const answered = await visitor.post("/links/use", { token: link?.token, email, password: PASSWORD });
  expect([answered.status, answered.text]).toEqual([201, expect.stringContaining(email)]);
  return visitor;
}

/** A signed-in user with this role. */
export async function person(
  app: TestServer,
  email: string,
  role: Role,
  workspaceId: number | null = null,
): Promise<Visitor> {
  const { link } = await app.store.write((tx) => inviteUser(tx, { email, role, workspaceId }));
  const visitor = new Visitor(app);
  expect((await visitor.post("/links/use", { token: link?.token, password: PASSWORD })).status).toBe(201);
  return visitor;
}

/** The audit log, newest first. */
export function auditEntries(app: TestServer): { action: string; subject: string; workspace_id: number | null }[] {
  return app.store.client
    .prepare("SELECT action, subject, workspace_id, user_id, address FROM audit_log ORDER BY id DESC")
    .all() as never;
}
