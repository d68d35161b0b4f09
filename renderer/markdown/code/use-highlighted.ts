import { useEffect, useId, useRef, useState } from 'react';
import { getLanguage } from '#shared/markdown/languages.ts';
import type { Span } from './highlight-messages.ts';
import { highlighter } from './highlighter.ts';

type Lines = readonly (readonly Span[])[];
const nothing: Lines = [];
/** The number of highlighted lines per message. The page deserialises each message in one task. */
const batch = 30;
/** Code beyond this number of characters stays plain. */
const maxLength = 300_000;
const numbers = new Map<string, number>();

/**
 * Returns the highlighted lines of a block so far. Only complete lines are highlighted; the rest is plain, so nothing
 * moves.
 */
export function useHighlighted(code: string, language: string, live: boolean): Lines {
  const [lines, setLines] = useState<Lines>(nothing);
  const key = useId();
  const asked = useRef({ text: '', lines: 0 });
  const id = toNumber(key);

  useEffect(() => {
    asked.current = { text: '', lines: 0 };
    return highlighter.open(id, ({ from, lines: added }) =>
      setLines((before) => (from > before.length ? before : [...before.slice(0, from), ...added])),
    );
  }, [id]);

  useEffect(() => {
    const known = getLanguage(language);
    if (!known) return;
    const closed = colourable(live ? code.slice(0, code.lastIndexOf('\n') + 1) : `${code}\n`);
    if (!closed.startsWith(asked.current.text)) asked.current = { text: '', lines: 0 };
    const fresh = closed.slice(asked.current.text.length);
    if (fresh === '') return;
    const added = fresh.slice(0, -1).split('\n');
    const from = asked.current.lines;
    for (let index = 0; index < added.length; index += batch)
      highlighter.ask({
        type: 'lines',
        id,
        language: known,
        from: from + index,
        lines: added.slice(index, index + batch),
      });
    asked.current = { text: closed, lines: from + added.length };
  }, [id, code, language, live]);

  return lines;
}

function colourable(closed: string): string {
  return closed.length <= maxLength ? closed : closed.slice(0, closed.lastIndexOf('\n', maxLength) + 1);
}

/** The worker identifies blocks by number. */
function toNumber(key: string): number {
  const number = numbers.get(key) ?? numbers.size + 1;
  numbers.set(key, number);
  return number;
}
