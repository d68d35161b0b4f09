import { AppError } from '#shared/errors.ts';
import { asArray, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import { shortened } from '../../http/shorten-name.ts';

/**
 * Tools may stand in three places of a request: in `tools`, in items that offer more of them (`additional_tools`), and in what the caller's
 * own search found (`tool_search_output`). A model is offered all of them together.
 */
export interface LiftedTools {
  /** The body with all of them in `tools`. */
  readonly body: JsonObject;
  /** Those that only a search found: OpenAI's own models take these from its output. */
  readonly found: readonly JsonObject[];
  readonly warnings: readonly Warning[];
}

interface PlacedTool {
  readonly tool: JsonObject;
  readonly place: string;
}

/**
 * Leaves out what only OpenAI's servers run, with a warning, where the model can do without it. `isStrict`: it's refused. Throws
 * `unsupported_tool_type` for tools that hold the caller's data, and where no other tool is left.
 */
export function liftTools(body: JsonObject, isStrict: boolean): LiftedTools {
  const given = toolsAt(body.tools, 'tools');
  const items = asArray(body.input).map(asObject);
  const added = items.flatMap((item, index) =>
    item.type === 'additional_tools' ? toolsAt(item.tools, `input[${index}].tools`) : [],
  );
  const searched = items.flatMap((item, index) =>
    item.type === 'tool_search_output' ? toolsAt(item.tools, `input[${index}].tools`) : [],
  );
  refuseHostedChoice(body.tool_choice);
  const all = [...given, ...added, ...searched];
  const hosted = all.filter(({ tool }) => isHosted(tool));
  const refused = isStrict || hosted.length === all.length ? hosted : hosted.filter(({ tool }) => holdsData(tool));
  const [first] = refused;
  if (first) throw notRun(asText(first.tool.type) ?? '', first.place);
  if (added.length + searched.length + hosted.length === 0) return { body, found: [], warnings: [] };
  const own = merged([...given, ...added]);
  const offered = merged([...own.map((tool) => ({ tool, place: '' })), ...searched]);
  return {
    body: { ...body, tools: offered },
    found: offered.flatMap((tool) => onlyFound(tool, own)),
    warnings: hosted.map(({ tool, place }) => ({
      code: 'parameter_dropped',
      param: place,
      message: `Tools of the type "${shortened(asText(tool.type) ?? '')}" are not run here; it was left out.`,
    })),
  };
}

const toolsAt = (tools: unknown, place: string): PlacedTool[] =>
  asArray(tools).map((tool, index) => ({ tool: asObject(tool), place: `${place}[${index}]` }));

const clientRun = new Set(['function', 'custom', 'namespace', 'local_shell', 'apply_patch']);

/** Whether OpenAI's servers would run it. A tool without a type is left to the schema. */
function isHosted({ type, execution, environment }: JsonObject): boolean {
  const name = asText(type);
  if (name === null || clientRun.has(name) || name.startsWith('web_search')) return false;
  if (name === 'tool_search') return execution !== 'client';
  return !(name === 'shell' && [undefined, 'local'].includes(asText(asObject(environment).type) ?? undefined));
}

const dataTools = new Set([
  'file_search',
  'code_interpreter',
  'mcp',
  'computer',
  'computer_use_preview',
  'computer-preview',
]);

/** Tools that bring documents, servers or a screen of the caller's: an answer without them isn't the one that was asked for. */
const holdsData = ({ type }: JsonObject): boolean => dataTools.has(asText(type) ?? '');

const choices = new Set(['function', 'custom', 'allowed_tools', 'tool_search', 'local_shell', 'shell', 'apply_patch']);

/** A model that is to call a hosted tool can't do so, and must not do something else instead. */
function refuseHostedChoice(choice: unknown): void {
  const { type, tools } = asObject(choice);
  for (const each of [type, ...asArray(tools).map((tool) => asObject(tool).type)]) {
    const name = asText(each);
    if (name !== null && !choices.has(name)) throw notRun(name, 'tool_choice');
  }
}

const notRun = (type: string, place: string) =>
  new AppError(
    'unsupported_tool_type',
    `Tools of the type "${type.slice(0, 64)}" are not run here. Offer a "function" tool and run it yourself.`,
    { param: place === 'tool_choice' ? 'tool_choice.type' : `${place}.type` },
  );

/** Each tool once: a later definition replaces an earlier one, and the tools of one namespace come together. */
function merged(tools: readonly PlacedTool[]): JsonObject[] {
  const all = new Map<string, JsonObject>();
  for (const [index, { tool }] of tools.entries()) {
    if (isHosted(tool)) continue;
    const key = asText(tool.name) === null && tool.type === 'function' ? `unnamed ${index}` : getKey(tool);
    const known = all.get(key);
    all.set(key, known && tool.type === 'namespace' ? together(known, tool) : tool);
  }
  return [...all.values()];
}

const getKey = ({ type, name }: JsonObject): string => JSON.stringify([type, name ?? null]);

function together(known: JsonObject, tool: JsonObject): JsonObject {
  const inner = [...asArray(known.tools), ...asArray(tool.tools)].map((each) => ({ tool: asObject(each), place: '' }));
  return { ...known, description: tool.description || known.description, tools: merged(inner) };
}

/** What of a tool is in none of the caller's own. */
function onlyFound(tool: JsonObject, own: readonly JsonObject[]): JsonObject[] {
  const known = own.find((each) => getKey(each) === getKey(tool));
  if (!known) return [tool];
  if (tool.type !== 'namespace') return [];
  const inner = asArray(tool.tools).map(asObject);
  const ownInner = asArray(known.tools).map(asObject);
  return [{ ...tool, tools: inner.flatMap((each) => onlyFound(each, ownInner)) }];
}
