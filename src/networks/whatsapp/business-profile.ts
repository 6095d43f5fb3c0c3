/**
 * The number as its customers see it, at Meta: the business profile, its photo, its username. (Meta:
 * business-profiles, reference/business-usernames.)
 */
import type { Downloader } from "#src/net/download.ts";
import type { Transport } from "#src/net/transport.ts";

import type { ProfilePort } from "../network.ts";
import type { BusinessProfile } from "../profile-request.ts";
import type { Submitted } from "../template-request.ts";
import { failed } from "./account-answer.ts";
import { createAsking, done } from "./ask-once.ts";
import { asObject, type JsonObject, listOf, objectOf, stringOf, textOf } from "./json.ts";
import { endpointOf } from "./profile.ts";
import { urlOf } from "./request.ts";
import { createFileUpload } from "./resumable-upload.ts";
import type { WhatsappSettings } from "./settings.ts";

const FIELDS = "about,address,description,email,profile_picture_url,websites,vertical";
/** Hosts from which Meta gives photos. They get no token. */
const PHOTO_HOSTS = [".whatsapp.net", ".fbcdn.net", ".fbsbx.com", ".facebook.com"];
const PHOTO_BYTES_MAX = 5 * 1024 * 1024;
const PHOTO_IDLE_MS = 10_000;

/** What Meta says of a username that it does not give, in our words. */
const USERNAME_WORDS: Readonly<Record<string, string>> = {
  "147001": "This username is not available. Choose another one.",
  "147002": "WhatsApp gives this number no username yet.",
  "147003": "A Facebook page of this name exists. Link it to the business in Meta Business Suite first.",
  "147004": "An Instagram account of this name exists. Link it to the business in Meta Business Suite first.",
  "147005": "Another number of the business has this username. It can be moved here.",
};

export function createProfilePort(
  settings: WhatsappSettings,
  transport: Transport,
  downloader: Downloader,
): ProfilePort {
  const { ask, post, read } = createAsking(settings, transport);
  const uploadFile = createFileUpload(settings, transport);

  const fetchProfile: ProfilePort["fetchProfile"] = async (sender) => {
    const answer = await read(sender, "whatsapp_business_profile", { fields: FIELDS });
    return answer.ok ? { ...answer, value: profileIn(answer.value) } : answer;
  };

  const change = async (sender: Parameters<typeof post>[0], members: object): Promise<Submitted<null>> =>
    done(
      await post(sender, sender.phoneNumberId, "whatsapp_business_profile", {
        messaging_product: "whatsapp",
        ...members,
      }),
    );

  return {
    fetchProfile,

    async fetchPhoto(sender) {
      const profile = await fetchProfile(sender);
      if (!profile.ok) return profile;
      const url = photoUrl(profile.value.photoUrl, endpointOf(settings, sender).graphUrl);
      if (url === null) return { ...profile, value: null };
      const bytes = await download(downloader, url);
      return bytes === null
        ? failed("no_photo", "WhatsApp did not give the photo.", "later")
        : { ok: true, value: bytes, at: profile.at };
    },

    // Meta keeps the text about the business and takes no empty one.
    changeProfile: (sender, { about, ...others }) => change(sender, { ...(about === "" ? {} : { about }), ...others }),

    async changePhoto(sender, photo) {
      const uploaded = await uploadFile(
        sender,
        photo,
        "The number's provider takes no photos. Change it in its pages.",
      );
      if (uploaded.kind === "unknown") return { kind: "later", message: uploaded.message, retryAfterMs: null };
      if (uploaded.kind !== "accepted") return uploaded;
      return change(sender, { profile_picture_handle: uploaded.value.handle });
    },

    async fetchUsername(sender) {
      const answer = await read(sender, "username");
      if (!answer.ok) return answer;
      const username = textOf(answer.value, "username");
      const status = (textOf(answer.value, "status") ?? "reserved").toLowerCase().slice(0, 40);
      return { ...answer, value: username === null || status === "deleted" ? null : { username, status } };
    },

    async suggestUsernames(sender) {
      const answer = await read(sender, "username_suggestions");
      if (!answer.ok) return answer;
      const names = listOf(answer.value, "data").flatMap((row) => listOf(asObject(row), "username_suggestions"));
      return { ...answer, value: names.filter((name): name is string => typeof name === "string").slice(0, 10) };
    },

    async reserveUsername(sender, username, transfers) {
      const transfer = transfers ? { transfer_action: "force_transfer" } : {};
      return inWords(done(await post(sender, sender.phoneNumberId, "username", { username, ...transfer })));
    },

    async releaseUsername(sender) {
      const url = urlOf(endpointOf(settings, sender), sender.phoneNumberId, "username");
      return inWords(done(await ask(sender, url, { method: "DELETE" })));
    },
  };
}

function inWords(answer: Submitted<null>): Submitted<null> {
  const words = answer.kind === "refused" ? USERNAME_WORDS[answer.code] : undefined;
  return words === undefined || answer.kind !== "refused" ? answer : { ...answer, message: words };
}

/** Meta's own examples have the profile in the row, and in a member of the row. */
function profileIn(answer: JsonObject): BusinessProfile {
  const row = asObject(listOf(answer, "data")[0]);
  const profile = objectOf(row, "business_profile") ?? row;
  const text = (name: string): string => stringOf(profile, name) ?? "";
  const websites = listOf(profile, "websites").filter((one): one is string => typeof one === "string" && one !== "");
  return {
    about: text("about"),
    description: text("description"),
    address: text("address"),
    email: text("email"),
    vertical: text("vertical").toUpperCase() || "UNDEFINED",
    websites: websites.slice(0, 2),
    photoUrl: stringOf(profile, "profile_picture_url"),
  };
}

/** Null: there is none, or at an address that is not Meta's. */
function photoUrl(address: string | null, graphUrl: string): string | null {
  if (address === null || !URL.canParse(address)) return null;
  const url = new URL(address);
  if (url.origin === new URL(graphUrl).origin) return url.href;
  const isOfMeta =
    url.protocol === "https:" && url.port === "" && PHOTO_HOSTS.some((host) => url.hostname.endsWith(host));
  return isOfMeta ? url.href : null;
}

async function download(downloader: Downloader, url: string): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const result = await downloader.run({
    ...{ url, headers: new Headers(), idleMs: PHOTO_IDLE_MS, stopping: new AbortController().signal },
    begin: (length) => Promise.resolve((length ?? 0) <= PHOTO_BYTES_MAX),
    write: (chunk) => {
      bytes += chunk.length;
      chunks.push(chunk);
      return Promise.resolve(bytes <= PHOTO_BYTES_MAX);
    },
  });
  return result.kind === "complete" ? Buffer.concat(chunks) : null;
}
