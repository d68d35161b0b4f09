const mib = 1_048_576;

/**
 * Limits for the attachments of a message. In base64 they stay below the gateway's body limit of 25 MiB (wire contract
 * §7).
 */
export const attachmentLimits = {
  imageBytes: 5 * mib,
  /** The largest image that a model made or that an imported chat contains. */
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

/** The most models in a comparison. */
export const maxCompared = 4;

/** The most messages in a page, and in a reader's snapshot. */
export const maxAtOnce = 400;
