/** Why a secret isn't sent to an address, and how to fix it. */
export const readOnTheWay =
  'over plain http a key could be read on its way. A tunnel that ends on this machine (http://127.0.0.1:…) is safe as well.';
