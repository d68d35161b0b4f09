import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { MathsToken } from '#shared/markdown/maths.ts';
import { drawSoon } from '../long-text/draw-queue.ts';
import { katexNow, loadKatex } from './load-katex.ts';
import { isTypeset, tokenWeight } from './parser/token-weight.ts';

/** Limits recursive macros and sizes that would cover the page. No command may use a URL. */
const limits = { throwOnError: true, trust: false, strict: false, maxSize: 20, maxExpand: 300 } as const;

/** A formula, or its source if it can't be parsed. */
export function Formula({ token }: { token: MathsToken }) {
  return isTypeset(token) ? <TypesetFormula token={token} /> : token.raw.trim();
}

function TypesetFormula({ token }: { token: MathsToken }) {
  const container = useRef<HTMLSpanElement>(null);
  const [katex, setKatex] = useState(katexNow);
  const { tex, display, raw } = token;

  useEffect(() => {
    if (katex) return;
    let here = true;
    let giveUp = () => {};
    loadKatex().then(
      (loaded) => {
        // Many formulas may have waited for KaTeX, so only a few are typeset per frame.
        if (here) giveUp = drawSoon(tokenWeight(token), () => setKatex(() => loaded));
      },
      (error: unknown) => console.warn('The formula renderer could not be loaded', error),
    );
    return () => {
      here = false;
      giveUp();
    };
  }, [katex, token]);

  useLayoutEffect(() => {
    const element = container.current;
    if (!katex || !element) return;
    try {
      katex.render(tex, element, { ...limits, displayMode: display });
    } catch {
      element.textContent = raw.trim();
    }
  }, [katex, tex, display, raw]);

  return <span ref={container} className={display ? 'formula-block' : 'formula'} />;
}
