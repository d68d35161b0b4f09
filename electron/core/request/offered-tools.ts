import type { CompletionRequestBody } from '#shared/wire/chat-request.ts';
import type { Model } from '#shared/wire/model.ts';

/** A tool as chats know it; the toolbox alone knows what permissions are bound to. */
export interface OfferedTool {
  /** Its name for the model. */
  readonly wireName: string;
  readonly title: string;
  readonly serverId: string | null;
  readonly serverName: string;
  readonly tool: string;
  readonly fingerprint: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly readOnly: boolean;
  readonly asks: boolean;
}

/** Tools for a turn: list, check permission, run. */
export interface Toolbox {
  offered(): Promise<OfferedTool[]>;
  isPermitted(tool: OfferedTool, conversationId: string): Promise<boolean>;
  permit(tool: OfferedTool, scope: 'chat' | 'always', conversationId: string): Promise<void>;
  /** Failures are its output; throws only if aborted. */
  run(tool: OfferedTool, input: string, signal: AbortSignal): Promise<{ text: string; isError: boolean }>;
}

/** Models that are not listed get no tools: several servers refuse requests with tools that they cannot use. */
export const takesTools = (record: Model | null): boolean => record?.capabilities.includes('tools') ?? false;

/** Tools in wire format (wire contract §1.1). */
export function wireTools(offered: readonly OfferedTool[]): NonNullable<CompletionRequestBody['tools']> {
  return offered.map(({ wireName, description, inputSchema }) => ({
    type: 'function',
    function: { name: wireName, ...(description ? { description } : {}), parameters: { ...inputSchema } },
  }));
}
