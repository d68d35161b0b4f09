const mib = 1_048_576;

/**
 * Limits for attachments of a message. In base64 they stay below the gateway’s body limit of 25 MiB (wire contract §7).
 */
export const attachmentLimits = {
  imageBytes: 5 * mib,
  /** Of an image that a model made, or that comes with a chat from a file. */
  keptImageBytes: 24 * mib,
  pdfBytes: 10 * mib,
  textBytes: mib,
  perMessage: 10,
  bytesPerMessage: 12 * mib,
  /** Bytes per piece of an upload or read. */
  chunkBytes: 262_144,
} as const;

/** Citations of an answer. */
export const maxCitations = 200;

/** Models per comparison. */
export const maxCompared = 4;

/** Messages per page, and per reader’s snapshot. */
export const maxAtOnce = 400;
