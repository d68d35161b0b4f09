/** What is read of all bodies together between two looks at other events. */
const bytesATurn = 4_194_304;
/** Smaller pieces come from bodies that are small, or from clients that are slow. */
const smallPiece = 16_384;

let read = 0;

/**
 * Whether a body that has just read so many bytes should let others go first: a socket that is full gives two megabytes
 * at once, and twenty of them are read one after another before any timer runs.
 */
export function hasReadEnough(bytes: number): boolean {
  if (bytes < smallPiece) return false;
  if (read === 0)
    setImmediate(() => {
      read = 0;
    });
  read += bytes;
  return read > bytesATurn;
}
