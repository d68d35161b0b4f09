/** Line ends, control characters (some are terminal commands) and bidirectional controls. */
export const unseen = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;

/** Puts a name on one line, so it can neither break nor reorder the text around it. */
export const oneLine = (text: string): string => text.replace(unseen, ' ').trim();
