import type { AppInfo } from '#shared/contract/app/app.ts';
import { sentenceOf } from '../../text/error-text.ts';
import { Notice } from './notice.tsx';

/** What is wrong with the keychain; nothing where all is well. */
export function KeychainNotice({ keychain: { problem } }: Pick<AppInfo, 'keychain'>) {
  return problem && <Notice tone="warn">{sentenceOf(problem)}</Notice>;
}
