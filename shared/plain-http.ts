/** Why a secret is not sent to an address, with the remedy. */
export const readOnTheWay =
  'over plain http a key could be read on its way. A tunnel that ends on this machine (http://127.0.0.1:…) is safe as well.';
