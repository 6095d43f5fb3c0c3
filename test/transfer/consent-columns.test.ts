/** A no is seen in whatever column a shop or its software puts it, in the nine languages; a yes there raises nothing. */
import { expect, test } from "bun:test";
import { consentColumnOf, foldName } from "#src/transfer/header-names.ts";

const ACCEPTS = [
  ...["Acepta marketing", "Acepta recibir promociones", "Aceita receber mensagens", "Accepte le marketing par SMS"],
  ...["Akzeptiert Marketing", "Newsletter", "Einverstanden mit Werbung", "Accetta offerte", "Setuju promosi"],
  ...["Accepts WhatsApp Marketing", "allow_campaign", "Email opt-in", "SMS consent", "Marketing consent date status"],
  ...["WhatsApp Opted In", "is_opted_in", "Double Opt-in", "Permission to contact", "Can Contact", "GDPR consent"],
  ...["Marketing emails", "Receive promotions?", "Einwilligung WhatsApp", "Kontakterlaubnis", "has_subscribed"],
  ...["सहमति", "موافق", "Suscrito al newsletter", "Inscrit à la newsletter", "Iscritto alla newsletter"],
];
const REFUSED = [
  "Unsubscribed from all email",
  "SMS opt-out",
  "Desuscrito",
  "Désinscrit",
  "Disiscritto",
  "Abgemeldet am",
  ...["SMS_BLACKLISTED", "Widerspruch", "Werbesperre", "Keine Werbung", "No contactar", "Ne pas contacter", "NDNC"],
  ...["suppressed", "Não perturbe", "DND Status", "Baja"],
];
const OTHERS = [
  "Name",
  "City",
  "Notes",
  "Order status",
  "Email",
  "Phone",
  "Mailing address",
  "Total spent",
  "Mailing Street",
  ...[
    "OPTIN_IP",
    "OPTIN_TIME",
    "Opt-in source",
    "Email Marketing Consent Timestamp",
    "Messages received",
    "Promo code",
  ],
];

test.each(ACCEPTS)("%s: a no is a no", (name) => {
  expect(["accepts", "answer"]).toContain(consentColumnOf(foldName(name)) ?? "none");
});

test.each(REFUSED)("%s: a yes is a refusal", (name) => {
  expect(consentColumnOf(foldName(name))).toBe("refused");
});

test.each(OTHERS)("%s says nothing of consent", (name) => {
  expect(consentColumnOf(foldName(name))).toBeNull();
});
