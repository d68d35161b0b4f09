import { expect, test } from 'vitest';
import { AppError, isDiskFull } from '#shared/errors.ts';
import { coreFailure } from './core-failure.ts';
import { receivedFailure, sentFailure } from './thread-failure.ts';

const withCode = (code: string) => Object.assign(new Error('it failed'), { code });
const masked = (code: string) => new AppError('internal_error', 'The copy failed.', { cause: withCode(code) });
/** Sends an error the way a thread does. */
const received = (error: unknown) => receivedFailure(structuredClone(sentFailure(error)));

test.each(['ENOSPC', 'EDQUOT', 'SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE'])(
  'a full disk (%s) is recognised, also from another thread',
  (code) => {
    for (const error of [withCode(code), masked(code), received(withCode(code)), received(masked(code))]) {
      expect(isDiskFull(error)).toBe(true);
      expect(coreFailure(error)).toMatchObject({ code: 'disk_full', refusal: { name: 'diskFull' } });
    }
  },
);

test.each(['SQLITE_CORRUPT', 'SQLITE_CORRUPT_VTAB', 'SQLITE_NOTADB'])(
  'a damaged database (%s) is recognised, also from another thread',
  (code) => {
    for (const error of [withCode(code), masked(code), received(withCode(code)), received(masked(code))])
      expect(coreFailure(error)).toMatchObject({ code: 'database_unusable', refusal: { name: 'databaseDamaged' } });
  },
);

test('other errors stay unchanged, including an AppError that a full disk caused', () => {
  for (const error of [received(withCode('SQLITE_READONLY')), received(masked('SQLITE_READONLY')), received('text')]) {
    expect(isDiskFull(error)).toBe(false);
    expect(coreFailure(error)).toMatchObject({ code: 'internal_error' });
  }
  expect(received(withCode('SQLITE_READONLY'))).toMatchObject({ message: 'it failed', code: 'SQLITE_READONLY' });
  const own = new AppError('backup_failed', 'No backup could be made.', { cause: withCode('ENOSPC') });
  expect(coreFailure(own)).toBe(own);
});
