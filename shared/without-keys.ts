const keys =
  /\b(?:sk|gsk|xai|pk|rk|key|org|proj|user|sess|acct)[-_][\w*.-]{4,}|\bAIza[\w-]{8,}|\beyJ[\w-]{8,}[\w.-]*|\bAKIA[A-Z\d]{12,}/g;

/**
 * Removes everything that looks like a key, a token or an organisation id. Applied to all errors that leave the
 * program.
 */
export const withoutKeys = (text: string): string => text.replace(keys, '[redacted]');
