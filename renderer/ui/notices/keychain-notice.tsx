import type { AppInfo } from '#shared/contract/app/app.ts';
import { getSentence } from '../../text/error-text.ts';
import { Notice } from './notice.tsx';

/** The keychain’s problem, if any. */
export function KeychainNotice({ keychain: { problem } }: Pick<AppInfo, 'keychain'>) {
  return problem && <Notice tone="warn">{getSentence(problem)}</Notice>;
}
