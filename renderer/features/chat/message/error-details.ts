import type { AppInfo } from '#shared/contract/app/app.ts';
import type { Message } from '#shared/contract/chat/conversations.ts';
import { withoutKeys } from '#shared/without-keys.ts';

type Failed = Pick<Message, 'requestId' | 'model' | 'modelName' | 'finishedAt' | 'createdAt' | 'error'>;
type App = Pick<AppInfo, 'version' | 'platform' | 'host'>;

/** Details of a failed answer to show to others; nothing in them looks like a key. */
export function errorDetails(message: Failed, failure: { code: string; sentence: string }, app: App | null): string {
  const { requestId, model, modelName, finishedAt, createdAt, error } = message;
  const details = {
    code: failure.code,
    status: error?.status ?? null,
    message: failure.sentence,
    provider: error?.provider ?? null,
    providerError: error?.providerError ?? null,
    requestId,
    model,
    modelName,
    at: new Date(finishedAt ?? createdAt).toISOString(),
    app: app && { version: app.version, platform: app.platform, host: app.host },
  };
  return withoutKeys(JSON.stringify(details, null, 2));
}
