/** Templates in the network's own format that many tests send. */
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

/** The request body for sending either of them. */
export function sale(to = "+919876543210"): { to: string; template: string } {
  return { to, template: summerSale.name };
}

export function shipped(to = "+919876543210"): { to: string; template: string } {
  return { to, template: orderShipped.name };
}
