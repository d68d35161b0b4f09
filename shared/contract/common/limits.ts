const mib = 1_048_576;

/** What a message may carry. Together they stay below the gateway's body limit of 25 MiB in base64 (wire contract §7). */
export const attachmentLimits = {
  imageBytes: 5 * mib,
  pdfBytes: 10 * mib,
  textBytes: mib,
  perMessage: 10,
  bytesPerMessage: 12 * mib,
  /** Bytes in one piece of an upload or a read. */
  chunkBytes: 262_144,
} as const;

/** Most models that one question is asked of at once. */
export const mostCompared = 4;

/** As many messages are read at once, and held by one reader. */
export const mostAtOnce = 400;
