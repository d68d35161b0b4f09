interface History {
  readonly past: readonly string[];
  readonly future: readonly string[];
  /** When and by how many characters it last grew or shrank: single keys that follow each other are one step. */
  readonly at: number;
  readonly by: number;
}

const none: History = { past: [], future: [], at: 0, by: 0 };
const pauseMs = 1000;
const maxSteps = 200;
const maxCharacters = 4_000_000;

/** What was written in each chat before what stands there now: a field’s own memory ends with the field. */
export function createDraftHistory(now: () => number = Date.now) {
  const histories = new Map<string, History>();
  const of = (chat: string) => histories.get(chat) ?? none;

  return {
    changed(chat: string, before: string, after: string): void {
      if (before === after) return;
      const { past, at, by } = of(chat);
      const change = after.length - before.length;
      const goesOn = Math.abs(change) === 1 && change === by && now() - at < pauseMs && !/\s$/.test(before);
      const steps = goesOn && past.length > 0 ? past : bounded([...past, before]);
      histories.set(chat, { past: steps, future: [], at: now(), by: change });
    },

    /** The text one step back (-1) or forward (1); null: there is none. */
    step(chat: string, current: string, direction: -1 | 1): string | null {
      const { past, future } = of(chat);
      const from = direction < 0 ? past : future;
      const text = from.at(-1);
      if (text === undefined) return null;
      const [left, right] = [from.slice(0, -1), [...(direction < 0 ? future : past), current]];
      const next = direction < 0 ? { past: left, future: right } : { past: right, future: left };
      histories.set(chat, { ...next, at: 0, by: 0 });
      return text;
    },

    forget: (chat: string): boolean => histories.delete(chat),
  };
}

function bounded(steps: readonly string[]): readonly string[] {
  let characters = 0;
  const first = steps.findLastIndex((step, at) => {
    characters += step.length;
    return characters > maxCharacters || steps.length - at > maxSteps;
  });
  return steps.slice(first + 1);
}
