import type { WebContents } from 'electron';

const everyMs = 2000;
/** Longer than any of our tasks takes on a slow computer. Chromium waits twice as long, and only after user input. */
const maxUnanswered = 4;

/** Pings the page every two seconds. Calls `hung` after eight seconds without an answer. */
export function watchForHang(contents: WebContents, hung: () => void): void {
  const questions = unansweredQuestions(() => performance.now());
  const timer = setInterval(() => {
    // A page at a breakpoint or one that is still loading can't answer.
    if (contents.isDevToolsOpened() || contents.isLoadingMainFrame() || contents.isCrashed()) return questions.forget();
    const ask = questions.next();
    if (ask === 'hung') hung();
    // A ping to a page that is gone may reject.
    else if (ask) contents.mainFrame.executeJavaScript('0').then(ask, ask);
  }, everyMs);
  contents.on('did-start-loading', questions.forget);
  contents.once('destroyed', () => clearInterval(timer));
}

/**
 * `next` returns the function to call when a ping is answered. It returns null while a ping is unanswered, and `hung`
 * after too long. Time in which this process did not run, for example while the computer sleeps, doesn't count.
 */
export function unansweredQuestions(elapsed: () => number) {
  let open: symbol | null = null;
  let turns = 0;
  let before = elapsed();
  const forget = () => {
    open = null;
    turns = 0;
  };
  return {
    forget,
    next(): (() => void) | 'hung' | null {
      const now = elapsed();
      const late = now - before > 1.5 * everyMs;
      before = now;
      if (open === null) {
        const asked = Symbol();
        open = asked;
        return () => {
          if (open === asked) forget();
        };
      }
      if (!late) turns += 1;
      if (turns < maxUnanswered) return null;
      forget();
      return 'hung';
    },
  };
}
