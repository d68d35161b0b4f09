const longest = 64;

/** A name from outside, as far as it is worth repeating: whoever sent it knows the rest. */
export const shortened = (name: string): string =>
  name.length <= longest ? name : `${name.slice(0, longest).toWellFormed()}…`;
