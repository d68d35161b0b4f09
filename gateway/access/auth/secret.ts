import { inspect } from 'node:util';

const redacted = '[redacted]';

/** A key that can't be printed, logged or serialised by accident. `reveal()` is the only way to its text. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return redacted;
  }

  toJSON(): string {
    return redacted;
  }

  [inspect.custom](): string {
    return redacted;
  }
}
