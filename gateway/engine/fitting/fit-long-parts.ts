import type { Warning } from '#shared/wire/chat-response.ts';
import type { CatalogueModel } from '../../models/catalogue/catalogue.ts';
import type { ModelFacts } from '../../models/catalogue/model-facts.ts';
import type { LongChanges } from '../../providers/changed-request.ts';
import type { ConversationShape } from '../../providers/content/conversation-shape.ts';
import type { TurnRepair } from '../../providers/content/repaired-turns.ts';
import type { ProviderRequest } from '../../providers/provider.ts';
import { changed } from './fit-warnings.ts';

type Parameters = ProviderRequest['parameters'];

interface LongInput {
  readonly model: CatalogueModel;
  readonly facts: ModelFacts | null;
  readonly shape: ConversationShape;
  readonly parameters: Parameters;
}

/** What is to be changed in the long parts; null where nothing is. */
export function fitLongParts(input: LongInput, warnings: Warning[]): LongChanges | null {
  const turns = turnRepairs(input, warnings);
  const forced = unforcedTool(input, warnings);
  const { format, instruction } = fitFormat(input, warnings);
  const strictTools = fitStrictTools(input, warnings);
  const instructions = [forced?.instruction, instruction].filter((text) => text !== undefined);
  const untouched = turns.length + instructions.length === 0 && format === 'as_sent' && strictTools === 'as_sent';
  return untouched ? null : { turns, instructions, onlyTool: forced?.name ?? null, format, strictTools };
}

function turnRepairs({ model, facts, shape }: LongInput, warnings: Warning[]): TurnRepair[] {
  const repairs: TurnRepair[] = [];
  const repair = (kind: TurnRepair, why: string) => {
    repairs.push(kind);
    warnings.push(changed('turns_adjusted', 'messages', why));
  };
  if (shape.picturesInResults && !facts?.picturesInResults) {
    repair('pictures_after_results', `${model.id} takes no pictures in a tool's result; they come as a turn after it`);
  }
  if (!facts) return repairs;
  if (facts.refusesBlankTurns && shape.blankTurns) {
    warnings.push(
      changed('turns_adjusted', 'messages', `${model.id} takes no turns without a word; they were left out`),
    );
  }
  if (facts.beginsWithUser && shape.first === null) {
    repair('instruction_as_user', `${model.id} wants a turn of the user's; the last instruction was sent as one`);
  } else if (facts.beginsWithUser && shape.first !== 'user') {
    repair('begin_with_user', `${model.id} wants the user to begin; a turn that says no more was put first`);
  }
  if (!facts.prefill && shape.last === 'assistant') {
    repair('end_with_user', `${model.id} does not go on with a turn of its own; the user's "Continue." was added`);
  }
  return repairs;
}

/** Of a model that cannot be made to call a tool: what is offered and said instead. */
function unforcedTool({ model, facts, parameters }: LongInput, warnings: Warning[]) {
  const choice = parameters.tool_choice;
  if (facts?.forcedTools !== 'never' || !isForced(choice)) return null;
  const name = typeof choice === 'object' ? choice.function.name : null;
  const why = `${model.id} cannot be made to call a tool; it was asked to in words`;
  warnings.push(changed('tool_choice_relaxed', 'tool_choice', why));
  const instruction = name === null ? 'Answer by calling one of the tools.' : `Answer by calling the tool "${name}".`;
  return { name, instruction };
}

export const isForced = (choice: Parameters['tool_choice']): boolean =>
  choice === 'required' || typeof choice === 'object';

interface FormatFit {
  readonly format: LongChanges['format'];
  readonly instruction?: string;
}

function fitFormat({ model, facts, shape, parameters }: LongInput, warnings: Warning[]): FormatFit {
  const { response_format: asked, tools } = parameters;
  if (!facts || !asked || asked.type === 'text') return { format: 'as_sent' };
  const inWords = (why: string): FormatFit => {
    warnings.push(changed('format_in_words', 'response_format', why));
    return { format: 'in_words' };
  };
  if (tools && !facts.formatWithTools)
    return inWords(`${model.id} takes no format beside tools; it was asked for in words`);
  if (asked.type === 'json_object') {
    if (facts.jsonMode === 'in_words') return inWords(`${model.id} has no JSON mode; JSON was asked for in words`);
    if (facts.jsonMode === 'as_sent' || shape.containsJson) return { format: 'as_sent' };
    const why = `${model.id} wants the word JSON in the messages of JSON mode; it was added`;
    warnings.push(changed('instruction_added', 'response_format', why));
    return { format: 'as_sent', instruction: 'Answer in JSON.' };
  }
  if (facts.schema === 'in_words') return inWords(`${model.id} takes no schema; it was asked for in words`);
  if (facts.schema === 'as_sent' || shape.schemaChanges?.length === 0) return { format: 'as_sent' };
  if (shape.schemaChanges === null)
    return inWords(`${model.id} takes closed schemas only; this one was asked for in words`);
  warnings.push(changed('schema_adjusted', 'response_format', schemaSentence(model, shape.schemaChanges)));
  return { format: 'closed' };
}

function fitStrictTools(
  { model, facts, shape, parameters }: LongInput,
  warnings: Warning[],
): LongChanges['strictTools'] {
  const { toolSchemaChanges: changes } = shape;
  if (!facts || !parameters.tools || facts.schema === 'as_sent' || changes?.length === 0) return 'as_sent';
  if (changes === null || facts.schema === 'in_words') {
    warnings.push(changed('schema_adjusted', 'tools', `${model.id} cannot keep these tools strict; they are not`));
    return 'not_strict';
  }
  warnings.push(changed('schema_adjusted', 'tools', schemaSentence(model, changes)));
  return 'closed';
}

const schemaSentence = ({ id }: CatalogueModel, names: readonly string[]) =>
  `${id} takes closed schemas of few keywords; changed were ${names.map((name) => `"${name}"`).join(', ')}`;
