import type { ProviderEvent } from '../provider.ts';

/**
 * Separates the thinking that a server sends within its text, between `<think>` and `</think>`, from the answer. The
 * opening tag may be missing, because some templates put it into the prompt (https://github.com/deepseek-ai/DeepSeek-R1,
 * section "Usage recommendations"; https://huggingface.co/Qwen/QwQ-32B, read 2026-11-28). An answer that only mentions
 * the tags is left as it is.
 */
export interface ThinkTags {
  /** Takes the next events of the answer, and returns those that are certain. */
  add(events: readonly ProviderEvent[]): ProviderEvent[];
  /** Returns what was held back. `isCut`: the answer may have ended in its thinking. */
  end(isCut: boolean): ProviderEvent[];
  /** Nothing can change any more: from here on events needn't be passed through `add`. */
  readonly isSettled: boolean;
}

/** What is known about how a model begins its answers. */
export interface OpeningTag {
  /**
   * `plain`: it sends the opening tag, or doesn't think. `omitted`: it thinks from its first word on. `unsure`: it may do
   * either, so its text is held back until that is clear.
   */
  readonly expected: 'plain' | 'omitted' | 'unsure';
  learn(isOmitted: boolean): void;
}

const pairs = [
  { open: '<think>', close: '</think>' },
  { open: '<seed:think>', close: '</seed:think>' },
  { open: '[THINK]', close: '[/THINK]' },
] as const;
const close = pairs[0].close;

/** An answer that begins with a tag, a blank and fewer characters than this in its line may only talk about the tag. */
const maxProse = 120;

/** No more text than this is held back, in characters. */
const maxHeld = 1_048_576;

/** `isCollected`: nobody reads the answer before its end, so that all of its text can be looked at together. */
export const createThinkTags = (opening: OpeningTag, isCollected: boolean): ThinkTags =>
  new StreamedThinkTags(opening, isCollected);

type State = 'start' | 'probing' | 'thinking' | 'held' | 'collected' | 'after' | 'settled';

class StreamedThinkTags implements ThinkTags {
  #state: State = 'start';
  #close: string = close;
  /** The text that isn't certain yet. */
  #rest = '';
  /** All text of the thinking as it was sent, which is the answer if the thinking never ends. */
  #raw = '';
  /** The last character of the thinking that was passed on. */
  #last = '';
  #isOmitted = false;
  #hasAnswer = false;
  readonly #opening: OpeningTag;
  readonly #isCollected: boolean;

  constructor(opening: OpeningTag, isCollected: boolean) {
    this.#opening = opening;
    this.#isCollected = isCollected;
  }

  get isSettled(): boolean {
    return this.#state === 'settled';
  }

  add(events: readonly ProviderEvent[]): ProviderEvent[] {
    const out: ProviderEvent[] = [];
    for (const event of events) {
      if (event.type === 'text-delta' && !event.logprobs && this.#state !== 'settled')
        out.push(...this.#text(event.text));
      else if (event.type === 'usage' || event.type === 'start' || event.type === 'finish') out.push(event);
      else out.push(...this.#other(), event);
    }
    return out;
  }

  end(isCut: boolean): ProviderEvent[] {
    const state = this.#state;
    const rest = this.#rest;
    this.#state = 'settled';
    this.#rest = '';
    switch (state) {
      case 'thinking': {
        const events = reasoning(rest.trimEnd());
        if (isCut || (this.#hasAnswer && !this.#isOmitted)) return events;
        // A model that never ends its thinking has answered in it, or it talks about the tag.
        if (this.#isOmitted) this.#opening.learn(false);
        return [...events, ...text(this.#raw)];
      }
      case 'held':
        this.#opening.learn(false);
        return text(rest);
      case 'collected':
        return this.#split(rest);
      case 'start':
      case 'probing':
        return text(rest);
      default:
        return [];
    }
  }

  /** Anything but text, such as a tool call or thinking in a field of its own. */
  #other(): ProviderEvent[] {
    this.#hasAnswer = true;
    return this.#state === 'thinking' && !this.#isOmitted ? [] : this.end(false);
  }

  #text(piece: string): ProviderEvent[] {
    this.#rest += piece;
    if (this.#state === 'start') return this.#begin();
    if (this.#state === 'probing') return this.#probe();
    if (this.#state === 'thinking') {
      this.#raw += piece;
      return this.#think();
    }
    if (this.#state === 'after') return this.#answer();
    if (this.#rest.length > maxHeld) return this.#settle();
    return this.#state === 'held' ? this.#hold() : [];
  }

  /** The text of a complete answer shows by itself whether its opening tag is missing. */
  #split(all: string): ProviderEvent[] {
    const split = splitAtClosingTag(all);
    if (!split) return text(all);
    this.#opening.learn(true);
    return [...reasoning(split.thinking), ...text(split.answer)];
  }

  #begin(): ProviderEvent[] {
    const begun = this.#rest.trimStart();
    const pair = pairs.find(({ open }) => begun.startsWith(open));
    if (pair) {
      this.#close = pair.close;
      this.#state = 'probing';
      return this.#probe();
    }
    const isPart = [...pairs.map(({ open }) => open), `${close}\n`].some((tag) => tag.startsWith(begun));
    if (isPart) return [];
    if (begun.startsWith(`${close}\n`)) {
      this.#rest = begun.slice(close.length);
      this.#state = 'after';
      return this.#answer();
    }
    const { expected } = this.#opening;
    if (expected === 'plain' && this.#isCollected) {
      this.#state = 'collected';
      return [];
    }
    if (expected === 'plain') return this.#settle();
    if (expected === 'unsure') {
      this.#state = 'held';
      return this.#hold();
    }
    this.#state = 'thinking';
    this.#isOmitted = true;
    this.#raw = this.#rest;
    return this.#think();
  }

  /** Decides whether a tag at the beginning opens the thinking or is only talked about: "<think> and </think> are tags". */
  #probe(): ProviderEvent[] {
    const { open } = pairs.find((pair) => pair.close === this.#close) ?? pairs[0];
    const inside = this.#rest.trimStart().slice(open.length);
    if (inside === '') return [];
    if (/^[ ,.;:!?)]/.test(inside)) {
      const end = inside.indexOf(this.#close);
      const line = inside.slice(0, end < 0 ? undefined : end);
      const after = end < 0 ? '' : inside.slice(end + this.#close.length);
      const isOpen = !line.includes('\n') && line.length < maxProse;
      if (isOpen && (end < 0 || after.length < 2)) return [];
      if (isOpen && /^(?: \p{Ll}|[,.;:!?)])/u.test(after)) return this.#settle();
    }
    this.#raw = this.#rest;
    this.#rest = inside;
    this.#state = 'thinking';
    return this.#think();
  }

  #think(): ProviderEvent[] {
    if (this.#last === '') this.#rest = this.#rest.trimStart();
    const end = findClose(this.#rest, this.#close, this.#last);
    if (end === 'unclear') return [];
    if (end !== null) return this.#closed(end);
    const certain = this.#rest.slice(0, lengthOfCertain(this.#rest, this.#close));
    this.#rest = this.#rest.slice(certain.length);
    this.#last = certain.at(-1) ?? this.#last;
    return reasoning(certain);
  }

  #hold(): ProviderEvent[] {
    const end = findClose(this.#rest, this.#close, '');
    if (end === null || end === 'unclear' || isInFence(this.#rest.slice(0, end))) return [];
    this.#opening.learn(true);
    return this.#closed(end);
  }

  #closed(end: number): ProviderEvent[] {
    const events = reasoning(this.#rest.slice(0, end).trim());
    this.#rest = this.#rest.slice(end + this.#close.length);
    this.#raw = '';
    this.#state = 'after';
    return [...events, ...this.#answer()];
  }

  #answer(): ProviderEvent[] {
    this.#rest = this.#rest.trimStart();
    return this.#rest === '' ? [] : this.#settle();
  }

  #settle(): ProviderEvent[] {
    const events = text(this.#rest);
    this.#rest = '';
    this.#state = 'settled';
    return events;
  }
}

const text = (piece: string): ProviderEvent[] => (piece === '' ? [] : [{ type: 'text-delta', text: piece }]);
const reasoning = (piece: string): ProviderEvent[] => (piece === '' ? [] : [{ type: 'reasoning-delta', text: piece }]);

/**
 * Returns where the thinking ends. A tag in quotes is only mentioned. `unclear`: that depends on the next character.
 * `before`: the character before the text.
 */
function findClose(all: string, tag: string, before: string): number | 'unclear' | null {
  for (let at = all.indexOf(tag); at >= 0; at = all.indexOf(tag, at + tag.length)) {
    const previous = at === 0 ? before : all.charAt(at - 1);
    if (!/["'`]/.test(previous)) return at;
    const next = all.charAt(at + tag.length);
    if (next === '') return 'unclear';
    if (next !== previous) return at;
  }
  return null;
}

/** Returns how much of the text is certain: its end may be the beginning of the tag, or blanks before the tag. */
function lengthOfCertain(all: string, tag: string): number {
  let end = all.length;
  for (let length = Math.min(tag.length - 1, all.length); length > 0; length -= 1) {
    if (!all.endsWith(tag.slice(0, length))) continue;
    end -= length;
    break;
  }
  return all.slice(0, end).trimEnd().length;
}

const isInFence = (all: string): boolean => (all.match(/^\s*```/gm)?.length ?? 0) % 2 === 1;

/**
 * Splits a complete answer without an opening tag at a closing tag that stands alone; null if there is none. The tag
 * stands alone in a line, or directly between the end of a sentence and a new paragraph or word.
 */
function splitAtClosingTag(all: string): { readonly thinking: string; readonly answer: string } | null {
  const at = all.indexOf(close);
  if (at < 0 || all.indexOf('<think>') >= 0 || all.indexOf(close, at + close.length) >= 0) return null;
  const before = all.slice(0, at);
  const after = all.slice(at + close.length);
  const beginsLine = before === '' || before.endsWith('\n');
  const endsSentence = /[\p{L}\p{N}.!?…:)\]*}。！？]$/u.test(before);
  const isAlone = beginsLine
    ? /^[^\S\n]*(?:\n|$)/.test(after) || /^\S/.test(after)
    : endsSentence && /^(?:\s*\n|[\p{Lu}\p{N}\p{Lo}#*>|{[])/u.test(after);
  if (!isAlone || isInFence(before)) return null;
  return { thinking: before.trim(), answer: after.trimStart() };
}

/** Notices in a stream that was already passed on that its model omits the opening tag. */
export interface ClosingTagWatch {
  see(piece: string): void;
}

export function createClosingTagWatch(learn: (isOmitted: boolean) => void): ClosingTagWatch {
  let last = '\n';
  let waits = false;
  let isOver = false;
  let fences = 0;
  return {
    see(piece) {
      if (isOver || piece === '') return;
      if (waits) {
        isOver = true;
        if (piece.startsWith('\n')) learn(true);
        return;
      }
      if (piece.includes('```')) fences += 1;
      const at = piece.indexOf(close);
      if (at < 0) {
        last = piece.at(-1) ?? last;
        if (piece.includes('<think>')) isOver = true;
        return;
      }
      const previous = at === 0 ? last : piece.charAt(at - 1);
      const after = piece.slice(at + close.length);
      const mayClose = fences % 2 === 0 && (previous === '\n' || /[\p{L}\p{N}.!?…:)\]}。！？]/u.test(previous));
      waits = mayClose && after === '';
      isOver = !waits;
      if (mayClose && after.startsWith('\n')) learn(true);
    },
  };
}

/** Models that always think, and whose templates put the opening tag into the prompt. */
const thinks =
  /(?:^|[-_./: ])(?:r1|qwq|qwen-?3\.[5-9]|minimax-?m\d|\w*think(?:ing|er)?|\w*reason(?:ing|er)?)(?![a-z])/i;
const doesNotThink = /non?[-_]?(?:think|reason)/i;
const maxModels = 1_000;

/** Remembers how the models of a server begin their answers. */
export function createOpeningTags(): (model: string) => OpeningTag {
  const learned = new Map<string, boolean>();
  return (model) => {
    const known = learned.get(model);
    const expected =
      known === undefined
        ? thinks.test(model) && !doesNotThink.test(model)
          ? 'unsure'
          : 'plain'
        : known
          ? 'omitted'
          : 'plain';
    return {
      expected,
      learn(isOmitted) {
        if (learned.size >= maxModels) learned.clear();
        learned.set(model, isOmitted);
      },
    };
  };
}
