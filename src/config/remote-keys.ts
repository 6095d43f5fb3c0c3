/** The keys of the `[backup.remote]` section: where backups are sent, and for whom they are encrypted. */
import { bech32 } from "@scure/base";
import { key } from "./key.ts";
import { httpAddress, optional, path, text, wholeNumber, yesOrNo } from "./kinds.ts";

const bucketName = text("the name of a bucket: letters, digits, dots, hyphens and underscores", (value) =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/.test(value) && !value.includes("..") ? value : null,
);

/** Returned without a slash at its end. */
const keyPrefix = text('the beginning of the names, such as "shop", without a slash at its beginning', (value) => {
  const parts = value.replace(/\/$/, "").split("/");
  return parts.every((part) => /^[A-Za-z0-9._-]+$/.test(part) && !/^\.+$/.test(part)) ? parts.join("/") : null;
});

const regionName = text('the name of a region, such as "eu-central-1"', (value) =>
  /^[A-Za-z0-9-]+$/.test(value) ? value : null,
);

const accessKey = text("the id of an access key, without spaces", (value) =>
  /^[\x21-\x7e]+$/.test(value) ? value : null,
);

const recipient = text(
  'a recipient of age, which begins with "age1" (waxwing backup recovery-key makes one); one letter may be mistyped',
  (value) => (["age", "age1pq"].includes(bech32.decodeUnsafe(value, false)?.prefix ?? "") ? value : null),
);

export const remoteKeys = {
  endpoint: key(
    "endpoint",
    optional(httpAddress),
    "",
    'Address of an S3-compatible store, such as "https://s3.eu-central-1.amazonaws.com", to which each backup is sent. Empty: backups stay on this machine.',
  ),
  bucket: key("bucket", optional(bucketName), "", "The bucket there. It must exist."),
  prefix: key(
    "prefix",
    optional(keyPrefix),
    "",
    "Where in the bucket, such as a folder of its own. Servers may share one: each deletes only its own archives.",
  ),
  region: key("region", optional(regionName), "", 'Region of the store, if it needs one; empty: "us-east-1".'),
  accessKey: key("access_key", optional(accessKey), "", "Id of the access key of the store."),
  secretKeyFile: key(
    "secret_key_file",
    optional(path),
    "",
    "File with the secret of that access key, readable by the user that runs the server.",
  ),
  recipient: key(
    "recipient",
    optional(recipient),
    "",
    "For whom archives are encrypted: the public half of a recovery key that is kept elsewhere. waxwing backup recovery-key makes both.",
  ),
  keep: key(
    "keep",
    wholeNumber(0, 10_000),
    30,
    "Number of archives to keep there; older ones are deleted. 0: never delete, for credentials that may not.",
  ),
  media: key(
    "media",
    yesOrNo,
    false,
    "Put the files that people sent into each archive too. Each archive then holds all of them again.",
  ),
} as const;
