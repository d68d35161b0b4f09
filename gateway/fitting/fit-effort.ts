import type { Warning } from '#shared/wire/chat-response.ts';
import type { CatalogueModel } from '../catalogue/catalogue.ts';
import type { Effort, ModelFacts } from '../catalogue/model-facts.ts';
import { changed } from './fit-warnings.ts';
import { nearestEffort } from './nearest-effort.ts';

export interface EffortInput {
  readonly model: CatalogueModel;
  readonly facts: ModelFacts;
  readonly asked: Effort | undefined;
  readonly forcesTool: boolean;
  readonly lostThinking: boolean;
  /** The longest answer that will be asked for; null where the provider decides. */
  readonly maxTokens: number | null;
}

/** How much the model is asked to think: what it takes, as near as can be to what was asked for. `undefined`: nothing is said. */
export function fitEffort(input: EffortInput, warnings: Warning[]): Effort | undefined {
  const { asked, facts, model } = input;
  const nearest = asked && nearestEffort(asked, facts.efforts);
  if (asked && nearest && nearest !== asked) {
    warnings.push(adjusted(`${model.id} has no effort "${asked}"; the nearest, "${nearest}", was used`));
  }
  const effort = nearest ?? undefined;
  const thinks = effort !== undefined && effort !== 'none';
  const why = thinks ? whyNot(input) : null;
  if (why !== null) warnings.push(adjusted(`${model.id} cannot think here: ${why}. Thinking was left out`));
  return why === null ? effort : undefined;
}

/** Why the model cannot think in this request although it could in others. */
function whyNot({ facts, forcesTool, lostThinking, maxTokens }: EffortInput): string | null {
  if (facts.thinking.by !== 'budget_tokens') return null;
  if (forcesTool && facts.forcedTools === 'without_thinking') return 'it cannot be made to call a tool while it thinks';
  if (lostThinking) return 'the signed thinking before its last tool calls did not come back with them';
  if (maxTokens !== null && maxTokens <= facts.thinking.least) {
    return `it wants more than ${facts.thinking.least} tokens for that, and the answer may have ${maxTokens}`;
  }
  return null;
}

/** Whether the model thinks in this request, or may: then it may be silent for minutes. Of an unknown model: where it is asked to. */
export function mayThink({ facts }: Pick<CatalogueModel, 'facts'>, effort: Effort | undefined): boolean {
  if (effort !== undefined) return effort !== 'none';
  switch (facts?.thinking.by) {
    case 'effort':
    case 'adaptive':
      return facts.thinking.byDefault;
    case 'thinking_budget':
    case 'level':
      return true;
    default:
      return false;
  }
}

const adjusted = (why: string) => changed('effort_adjusted', 'reasoning_effort', why);
