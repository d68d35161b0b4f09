import type { Tool } from '#shared/contract/app/tools.ts';
import { refusal } from '#shared/language/refusals.ts';

/** GitHub's server lists a hundred tools with some dozens of values each. Every value is compared and sent again and again. */
const maxValuesOfTool = 5_000;
const maxValues = 60_000;
const maxBytesOfTool = 200_000;
const maxBytes = 2_000_000;

interface Size {
  values: number;
  bytes: number;
}

/** Throws `tool_server_failed` at the first tool that passes a bound, and counts no further. */
export function refuseLargeTools(tools: readonly Pick<Tool, 'name' | 'inputSchema'>[]): void {
  const all: Size = { values: 0, bytes: 0 };
  for (const { name, inputSchema } of tools) {
    const size = getSize(inputSchema);
    all.values += size.values;
    all.bytes += size.bytes;
    if (size.values > maxValuesOfTool || size.bytes > maxBytesOfTool)
      throw refusal('tool_server_failed', 'toolTooLarge', {
        tool: name.slice(0, 100),
        values: maxValuesOfTool,
        kilobytes: maxBytesOfTool / 1_000,
      });
    if (all.values > maxValues || all.bytes > maxBytes)
      throw refusal('tool_server_failed', 'toolsTooLarge', {
        tool: name.slice(0, 100),
        values: maxValues,
        kilobytes: maxBytes / 1_000,
      });
  }
}

/** Stops beyond the bounds of one tool: a schema may be built to be walked for ever. */
function getSize(schema: unknown): Size {
  const open: unknown[] = [schema];
  const size: Size = { values: 0, bytes: 0 };
  while (open.length > 0 && size.values <= maxValuesOfTool && size.bytes <= maxBytesOfTool) {
    const value = open.pop();
    size.values += 1;
    if (typeof value === 'string') size.bytes += Buffer.byteLength(value);
    if (typeof value !== 'object' || value === null) continue;
    for (const key in value) {
      if (!Array.isArray(value)) size.bytes += key.length;
      open.push((value as Record<string, unknown>)[key]);
      if (open.length > maxValuesOfTool) return { values: open.length, bytes: size.bytes };
    }
  }
  return size;
}
