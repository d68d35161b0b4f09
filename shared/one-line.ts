/** Line ends, control characters (a terminal takes some for commands) and those that turn the text around them. */
export const unseen = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** A name as words of one line, which can neither break off nor turn around what stands beside it. */
export const oneLine = (text: string): string => text.replace(unseen, ' ').trim();
