export interface Waxwing {
  /** What `waxwing dev --json` prints. */
  ready: {
    base_url: string;
    api_key: string;
    workspace_id: number;
    number: string | null;
    webhook_secret: string | null;
    webhook_viewer_url: string;
    control_url: string;
    control_token: string;
    data: string;
  };
  /** The API: answers `{status, body}`, whatever the status. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers member by member.
  api(method: string, path: string, body?: unknown): Promise<{ status: number; body: any }>;
  /** The test control: answers the body, and throws if the call was refused. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers member by member.
  control(method: string, path: string, body?: unknown): Promise<any>;
  stop(): Promise<void>;
}

/** `options`: of `waxwing dev`, such as `["--seed", "shop.json"]`. `program`: another executable than the package's. */
export function startWaxwing(settings?: { options?: string[]; program?: string }): Promise<Waxwing>;
