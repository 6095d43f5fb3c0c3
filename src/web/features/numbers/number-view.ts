/** A number and the doctor's findings, as the server's JSON has them. */
export interface SendingNumber {
  id: number;
  phone: string;
  name: string;
  network: "simulator" | "whatsapp";
  ready: boolean;
  unready_reason: string | null;
  unready_by: "person" | "network" | null;
  throughput: number;
  account_id: string;
  phone_number_id: string;
  created_at: string;
  state: {
    status: string | null;
    verified_name: string | null;
    quality: string | null;
    messaging_limit: string | null;
    warning: string | null;
    checked_at: string | null;
  } | null;
  sync: { succeeded_at: string | null; error: string | null } | null;
}

export interface Finding {
  level: "ok" | "warning" | "problem";
  check: string;
  message: string;
  next: string | null;
}
