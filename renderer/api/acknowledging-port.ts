const every = 32;

/**
 * A message port has no back-pressure of its own. So the page tells the core how many messages it has read, a number
 * at a time, and the core stops sending when too many are unread.
 */
export function acknowledging(port: MessagePort): Pick<MessagePort, 'addEventListener' | 'postMessage'> {
  let unsaid = 0;
  port.addEventListener('message', () => {
    unsaid += 1;
    if (unsaid < every) return;
    port.postMessage(unsaid);
    unsaid = 0;
  });
  return port;
}
