import { ulid } from 'ulid';
import { asArray, asCount, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import { citations } from '../../content/citations.ts';
import type { ProviderEvent } from '../provider.ts';
import { withReasoning } from './reasoning-state.ts';

/** Reads the items that a response is made of: messages, reasoning and calls, each added, filled and done. */
export interface OutputItems {
  hear(event: JsonObject): ProviderEvent[];
  /** An item that came in one piece, at this place of the output. */
  whole(item: JsonObject, index: number): ProviderEvent[];
  /** Calls so far. */
  readonly calls: number;
  /** Searches of the web so far. */
  readonly searches: number;
}

export const createOutputItems = (model: string): OutputItems => new Items(model);

type TextType = 'text-delta' | 'reasoning-delta' | 'refusal-delta';

interface Call {
  /** Place among the calls. */
  readonly index: number;
  /** Its arguments came bit by bit. */
  inParts: boolean;
}

/** Kinds of calls, and where each has its input. */
const inputOf: Readonly<Record<string, string>> = { function_call: 'arguments', custom_tool_call: 'input' };

class Items implements OutputItems {
  readonly #model: string;
  readonly #calls = new Map<number, Call>();
  readonly #thoughts: JsonObject[] = [];
  /** The part that spoke last, of each kind of text: another one begins a paragraph. */
  readonly #speaking = new Map<TextType, string>();
  /** Characters of text so far, and of these before the part that speaks. */
  #said = 0;
  #partBegan = 0;

  constructor(model: string) {
    this.#model = model;
  }

  searches = 0;

  get calls(): number {
    return this.#calls.size;
  }

  hear(event: JsonObject): ProviderEvent[] {
    const at = asCount(event.output_index) ?? 0;
    switch (event.type) {
      case 'response.output_text.annotation.added':
        return this.#cite([asObject(event.annotation)]);
      case 'response.output_item.added':
        return this.#begin(asObject(event.item), at);
      case 'response.output_text.delta':
        return this.#say('text-delta', `${at}`, event.delta);
      case 'response.refusal.delta':
        return this.#say('refusal-delta', `${at}`, event.delta);
      case 'response.reasoning_summary_text.delta':
        return this.#say('reasoning-delta', `${at}/${asCount(event.summary_index) ?? 0}`, event.delta);
      case 'response.reasoning_text.delta':
        return this.#say('reasoning-delta', `${at}`, event.delta);
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#fill(at, event.delta);
      case 'response.output_item.done':
        return this.#finish(asObject(event.item), at);
      default:
        return [];
    }
  }

  whole(item: JsonObject, at: number): ProviderEvent[] {
    const begun = this.#begin(item, at);
    const summary = asArray(item.summary).flatMap((part, index) =>
      this.#say('reasoning-delta', `${at}/${index}`, asObject(part).text),
    );
    const content = asArray(item.content)
      .map(asObject)
      .flatMap((part) => this.#part(part, at));
    return [...begun, ...summary, ...content, ...this.#finish(item, at)];
  }

  #part({ type, text, refusal, annotations }: JsonObject, at: number): ProviderEvent[] {
    if (type === 'refusal') return this.#say('refusal-delta', `${at}`, refusal);
    const said = this.#say(type === 'reasoning_text' ? 'reasoning-delta' : 'text-delta', `${at}`, text);
    return [...said, ...this.#cite(asArray(annotations).map(asObject))];
  }

  /** Their places are in the part that speaks. */
  #cite(annotations: readonly JsonObject[]): ProviderEvent[] {
    return annotations
      .filter(({ type }) => type === 'url_citation')
      .map((page) => {
        const [from, to] = [asCount(page.start_index) ?? 0, asCount(page.end_index) ?? 0];
        return citations([page], this.#partBegan + from, this.#partBegan + to);
      });
  }

  /** A call carries the reasoning that led to it, also where it thinks between calls. */
  #begin(item: JsonObject, at: number): ProviderEvent[] {
    if (inputOf[asText(item.type) ?? ''] === undefined || this.#calls.has(at)) return [];
    const index = this.#calls.size;
    this.#calls.set(at, { index, inParts: false });
    const thoughts = this.#thoughts.splice(0);
    return [
      {
        type: 'tool-call-start',
        index,
        id: asText(item.call_id) || `call_${ulid()}`,
        name: asText(item.name) ?? '',
        ...(thoughts.length > 0 ? { extraContent: withReasoning(thoughts, this.#model) } : {}),
      },
    ];
  }

  #fill(at: number, delta: unknown): ProviderEvent[] {
    const call = this.#calls.get(at);
    if (!call || typeof delta !== 'string' || delta === '') return [];
    call.inParts = true;
    return [{ type: 'tool-call-delta', index: call.index, arguments: delta }];
  }

  /** Only a reasoning item that is done has all of its encrypted content. */
  #finish(item: JsonObject, at: number): ProviderEvent[] {
    if (item.type === 'reasoning' && asText(item.encrypted_content)) this.#thoughts.push(item);
    if (item.type === 'web_search_call') return this.#searched(asObject(item.action));
    const input = inputOf[asText(item.type) ?? ''];
    if (input === undefined) return [];
    const begun = this.#begin(item, at);
    return this.#calls.get(at)?.inParts ? begun : [...begun, ...this.#fill(at, item[input])];
  }

  /** Opening a page that was found, and looking for words in it, costs nothing of its own. */
  #searched({ type }: JsonObject): ProviderEvent[] {
    if (type !== 'search') return [];
    this.searches += 1;
    return [{ type: 'search' }];
  }

  #say(type: TextType, part: string, text: unknown): ProviderEvent[] {
    if (typeof text !== 'string' || text === '') return [];
    const before = this.#speaking.get(type);
    this.#speaking.set(type, part);
    const spaced = before === undefined || before === part ? text : `\n\n${text}`;
    if (type === 'text-delta') {
      if (before !== part) this.#partBegan = this.#said + spaced.length - text.length;
      this.#said += spaced.length;
    }
    return [{ type, text: spaced }];
  }
}
