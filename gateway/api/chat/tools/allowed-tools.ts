import { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import { asArray, asObject } from '#shared/json/foreign-json.ts';

const allowedTools = z.object({
  type: z.literal('allowed_tools'),
  allowed_tools: z.object({
    mode: z.enum(['auto', 'required']),
    tools: z
      .array(z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }))
      .min(1),
  }),
});

/**
 * OpenAI's choice among some of the tools, said so that every provider understands it: only these are offered. The body itself where
 * it makes no such choice. Throws `invalid_value`.
 */
export function withAllowedTools(body: Record<string, unknown>): Record<string, unknown> {
  const choice = asObject(body.tool_choice);
  if (choice.type !== 'allowed_tools') return body;
  const refuse = (why: string) => new AppError('invalid_value', `"tool_choice" ${why}`, { param: 'tool_choice' });
  const parsed = allowedTools.safeParse(choice);
  if (!parsed.success) throw refuse('must name a "mode" and function tools in "allowed_tools".');
  const { mode, tools } = parsed.data.allowed_tools;
  const names = new Set(tools.map((tool) => tool.function.name));
  const offered = asArray(body.tools).filter((tool) => names.delete(String(asObject(asObject(tool).function).name)));
  const [unknown] = names;
  if (unknown !== undefined) throw refuse(`allows a tool that "tools" does not have: "${unknown.slice(0, 64)}".`);
  return { ...body, tools: offered, tool_choice: mode };
}
