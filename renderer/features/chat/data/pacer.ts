const minMs = 30;
const hiddenMs = 1000;

/**
 * Runs `flush` at most once per frame and for about half of the main thread: after each run it pauses for as long as
 * that took to paint. A hidden window flushes once a second.
 */
export function createPacer(flush: () => void): () => void {
  let pending = false;
  let notBefore = 0;
  const channel = new MessageChannel();
  let begun = 0;
  channel.port1.onmessage = () => {
    const now = performance.now();
    notBefore = now + Math.max(minMs - 16, now - begun);
  };

  const run = () => {
    pending = false;
    begun = performance.now();
    flush();
    channel.port2.postMessage(null);
  };
  const atFrame = () => {
    if (performance.now() < notBefore) requestAnimationFrame(atFrame);
    else run();
  };

  return () => {
    if (pending) return;
    pending = true;
    if (document.hidden) setTimeout(run, hiddenMs);
    else requestAnimationFrame(atFrame);
  };
}
