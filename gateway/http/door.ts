/** How a request came in. Nothing of it where the caller is in this process. */
export interface ConnectionInfo {
  /** Where the caller is, for the limits by address. */
  readonly address?: string;
}
