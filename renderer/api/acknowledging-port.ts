const reportEvery = 32;

/**
 * Adds flow control, because a message port has none. The page regularly reports how many messages it has read, and the
 * core stops sending when too many are unread.
 */
export function acknowledging(port: MessagePort): Pick<MessagePort, 'addEventListener' | 'postMessage'> {
  let unreported = 0;
  port.addEventListener('message', () => {
    unreported += 1;
    if (unreported < reportEvery) return;
    port.postMessage(unreported);
    unreported = 0;
  });
  return port;
}
