import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { MathsToken } from '#shared/markdown/maths.ts';
import { katexNow, loadKatex } from './load-katex.ts';

/** Macros that grow, and sizes that cover the page, end here. Nothing may name an address. */
const limits = { throwOnError: true, trust: false, strict: false, maxSize: 20, maxExpand: 300 } as const;

/** A formula. One that cannot be read is shown as it was written. */
export function Formula({ token }: { token: MathsToken }) {
  const place = useRef<HTMLSpanElement>(null);
  const [katex, setKatex] = useState(katexNow);
  const { tex, display, raw } = token;

  useEffect(() => {
    if (katex) return;
    let here = true;
    loadKatex().then(
      (loaded) => here && setKatex(() => loaded),
      (error: unknown) => console.warn('The formula renderer could not be loaded', error),
    );
    return () => {
      here = false;
    };
  }, [katex]);

  useLayoutEffect(() => {
    const element = place.current;
    if (!katex || !element) return;
    try {
      katex.render(tex, element, { ...limits, displayMode: display });
    } catch {
      element.textContent = raw.trim();
    }
  }, [katex, tex, display, raw]);

  return <span ref={place} className={display ? 'formula-block' : 'formula'} />;
}
