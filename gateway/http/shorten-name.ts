const longest = 64;

/** Shortens a name that a client sent before an error repeats it: the client knows the rest. */
export const shortened = (name: string): string =>
  name.length <= longest ? name : `${name.slice(0, longest).toWellFormed()}…`;
