import type { WebContents } from 'electron';

const everyMs = 2000;
/** Longer than any task of ours on a slow machine, and half of what Chromium waits, which it does only once a key is pressed. */
const mostUnanswered = 4;

/** Asks a page every two seconds for a sign of life; calls `hung` when none has come for eight. */
export function watchForHang(contents: WebContents, hung: () => void): void {
  const questions = unansweredQuestions(() => performance.now());
  const timer = setInterval(() => {
    // At a breakpoint a page stands still, and one that is being loaded has nobody to answer.
    if (contents.isDevToolsOpened() || contents.isLoadingMainFrame() || contents.isCrashed()) return questions.forget();
    const ask = questions.next();
    if (ask === 'hung') hung();
    // What goes away with its page has nothing to say.
    else if (ask) contents.mainFrame.executeJavaScript('0').then(ask, ask);
  }, everyMs);
  contents.on('did-start-loading', questions.forget);
  contents.once('destroyed', () => clearInterval(timer));
}

/**
 * What `next` says is to be asked, as the function to call with the answer; null while one is open, `hung` when it has been open
 * for too long. Time in which nobody called, as while the machine sleeps, is not counted.
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
      if (turns < mostUnanswered) return null;
      forget();
      return 'hung';
    },
  };
}
