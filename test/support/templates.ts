/** Templates in the network's own format that many stories send. */
export const orderShipped = {
  name: "order_shipped",
  language: "en_US",
  category: "UTILITY",
  components: [{ type: "BODY", text: "Your order is on its way." }],
};

export const summerSale = {
  name: "summer_sale",
  language: "en_US",
  category: "MARKETING",
  components: [{ type: "BODY", text: "The summer sale begins today." }],
};

/** The body of a send of either. */
export function sale(to = "+919876543210"): { to: string; template: string } {
  return { to, template: summerSale.name };
}

export function shipped(to = "+919876543210"): { to: string; template: string } {
  return { to, template: orderShipped.name };
}
