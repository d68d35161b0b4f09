import { ulid } from 'ulid';
import { asArray, asCount, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import { argumentsOfAction } from '../content/call-fields.ts';
import { citations } from '../content/citations.ts';
import {
  type ClientTool,
  type ClientTools,
  noClientTools,
  offeredName,
  textArguments,
  textField,
} from '../content/client-tools.ts';
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

export const createOutputItems = (model: string, clientTools?: ClientTools): OutputItems =>
  new Items(model, clientTools);

type TextType = 'text-delta' | 'reasoning-delta' | 'refusal-delta';

interface Call {
  /** Place among the calls. */
  readonly index: number;
  readonly isText: boolean;
  /** Half of a character that a piece of text ended with: escaped alone, it would no longer be the character. */
  half: string;
  /** Its arguments came bit by bit. */
  inParts: boolean;
}

/** Kinds of calls, as the functions that their tools became. */
const kinds: Readonly<Record<string, ClientTool['kind']>> = {
  function_call: 'function',
  custom_tool_call: 'custom',
  tool_search_call: 'tool_search',
  local_shell_call: 'local_shell',
  shell_call: 'shell',
  apply_patch_call: 'apply_patch',
};

/** The arguments of such a function, of a call that came in one piece. */
function getArguments(item: JsonObject): string {
  const { arguments: given, input, action, operation } = item;
  if (item.type === 'custom_tool_call') return textArguments(asText(input) ?? '');
  if (typeof given === 'string') return given === '' ? '{}' : given;
  return given === undefined ? argumentsOfAction(asObject(action ?? operation)) : JSON.stringify(given ?? {});
}

const [textOpening, textEnd] = [`{"${textField}":"`, '"}'];

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

function escapedIn(call: Call, delta: string): string {
  const text = call.half + delta;
  const isCut = /[\ud800-\udbff]$/.test(text);
  call.half = isCut ? text.slice(-1) : '';
  return escaped(isCut ? text.slice(0, -1) : text);
}

class Items implements OutputItems {
  readonly #model: string;
  readonly #calls = new Map<number, Call>();
  readonly #thoughts: JsonObject[] = [];
  /** The part that spoke last, of each kind of text: another one begins a paragraph. */
  readonly #speaking = new Map<TextType, string>();
  /** Characters of text so far, and of these before the part that speaks. */
  #said = 0;
  #partBegan = 0;

  readonly #clientTools: ClientTools;

  constructor(model: string, clientTools: ClientTools = noClientTools) {
    this.#model = model;
    this.#clientTools = clientTools;
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
    const kind = kinds[asText(item.type) ?? ''];
    if (kind === undefined || this.#calls.has(at)) return [];
    const index = this.#calls.size;
    this.#calls.set(at, { index, isText: kind === 'custom', half: '', inParts: false });
    const thoughts = this.#thoughts.splice(0);
    const tool = { kind, name: asText(item.name) ?? kind, namespace: asText(item.namespace) };
    return [
      {
        type: 'tool-call-start',
        index,
        id: asText(item.call_id) || `call_${ulid()}`,
        name: offeredName(this.#clientTools, tool),
        ...(thoughts.length > 0 ? { extraContent: withReasoning(thoughts, this.#model) } : {}),
      },
    ];
  }

  /** A custom tool's text is the only argument of its function. */
  #fill(at: number, delta: unknown): ProviderEvent[] {
    const call = this.#calls.get(at);
    if (!call || typeof delta !== 'string' || delta === '') return [];
    const opening = call.isText && !call.inParts ? textOpening : '';
    call.inParts = true;
    const text = call.isText ? `${opening}${escapedIn(call, delta)}` : delta;
    return [{ type: 'tool-call-delta', index: call.index, arguments: text }];
  }

  /** Only a reasoning item that is done has all of its encrypted content. */
  #finish(item: JsonObject, at: number): ProviderEvent[] {
    if (item.type === 'reasoning' && asText(item.encrypted_content)) this.#thoughts.push(item);
    if (item.type === 'web_search_call') return this.#searched(asObject(item.action));
    if (kinds[asText(item.type) ?? ''] === undefined) return [];
    const begun = this.#begin(item, at);
    const call = this.#calls.get(at);
    if (!call) return begun;
    const rest = call.inParts ? (call.isText ? `${escaped(call.half)}${textEnd}` : '') : getArguments(item);
    return rest === '' ? begun : [...begun, { type: 'tool-call-delta', index: call.index, arguments: rest }];
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
