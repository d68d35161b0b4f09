import type { CompletionRequestBody } from '#shared/wire/chat-request.ts';
import type { Model } from '#shared/wire/model.ts';

/** A tool as a chat knows it. What a permission is bound to is the toolbox's own business. */
export interface OfferedTool {
  /** The name that the model knows it by. */
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

/** What a turn asks of the tools: which there are now, what is permitted, and running one. */
export interface Toolbox {
  offered(): Promise<OfferedTool[]>;
  isPermitted(tool: OfferedTool, conversationId: string): Promise<boolean>;
  permit(tool: OfferedTool, scope: 'chat' | 'always', conversationId: string): Promise<void>;
  /** Whatever goes wrong is its answer; throws where the signal ends it. */
  run(tool: OfferedTool, input: string, signal: AbortSignal): Promise<{ text: string; isError: boolean }>;
}

/** A model that is not listed is not offered any: several servers refuse a request with tools they cannot use. */
export const takesTools = (record: Model | null): boolean => record?.capabilities.includes('tools') ?? false;

/** The tools as the wire has them (wire contract §1.1). */
export function wireTools(offered: readonly OfferedTool[]): NonNullable<CompletionRequestBody['tools']> {
  return offered.map(({ wireName, description, inputSchema }) => ({
    type: 'function',
    function: { name: wireName, ...(description ? { description } : {}), parameters: { ...inputSchema } },
  }));
}
