import type { Migration } from 'kysely/migration';
import { firstTables } from './001-first-tables.ts';
import { thread } from './002-thread.ts';
import { organise } from './003-organise.ts';
import { composer } from './004-composer.ts';
import { tools } from './006-tools.ts';
import { toolRounds } from './007-tool-rounds.ts';
import { compare } from './008-compare.ts';
import { steady } from './009-steady.ts';
import { servers } from './010-servers.ts';
import { namedWords } from './011-named-words.ts';
import { unread } from './012-unread.ts';
import { temporary } from './013-temporary.ts';
import { thought } from './014-thought.ts';
import { answerLengths } from './015-answer-lengths.ts';
import { projects } from './016-projects.ts';
import { toolWords } from './017-tool-words.ts';
import { citations } from './018-citations.ts';
import { spendByRequest } from './019-spend-by-request.ts';
import { provenance } from './021-provenance.ts';
import { searchedTokens } from './022-searched-tokens.ts';
import { importedUntil } from './023-imported-until.ts';

/** In the order of their names. A released migration is never changed. */
export const migrations: Record<string, Migration> = {
  '001-first-tables': firstTables,
  '002-thread': thread,
  '003-organise': organise,
  '004-composer': composer,
  '006-tools': tools,
  '007-tool-rounds': toolRounds,
  '008-compare': compare,
  '009-steady': steady,
  '010-servers': servers,
  '011-named-words': namedWords,
  '012-unread': unread,
  '013-temporary': temporary,
  '014-thought': thought,
  '015-answer-lengths': answerLengths,
  '016-projects': projects,
  '017-tool-words': toolWords,
  '018-citations': citations,
  '019-spend-by-request': spendByRequest,
  '021-provenance': provenance,
  '022-searched-tokens': searchedTokens,
  '023-imported-until': importedUntil,
};
