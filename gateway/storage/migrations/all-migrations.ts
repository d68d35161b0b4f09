import type { MigrationProvider } from 'kysely/migration';
import type { DialectName } from '../open-database.ts';
import { firstTables } from './0001-books.ts';
import { limits } from './0002-limits.ts';
import { identity } from './0003-identity.ts';
import { cluster } from './0005-cluster.ts';
import { priceEditions, prices } from './0007-prices.ts';
import { tokenClasses } from './0008-token-classes.ts';
import { byokFee } from './0009-byok-fee.ts';
import { provenance } from './0011-provenance.ts';
import { findable } from './0012-findable.ts';
import { groupCommit } from './0013-group-commit.ts';
import { flushProgress } from './0014-journal.ts';
import { purposes } from './0015-purposes.ts';
import { definitions } from './0016-definitions.ts';
import { reasoningState } from './0017-kept-reasoning.ts';
import { webSearches } from './0018-web-searches.ts';
import { imageTokens } from './0019-image-tokens.ts';
import { usageIndex } from './0020-usage-index.ts';
import { accountLimits } from './0021-account-limits.ts';
import { modelLimits } from './0022-model-limits.ts';
import { rowsById } from './0023-rows-by-id.ts';
import { unknownCosts } from './0024-unknown-costs.ts';
import { costUpTo } from './0025-cost-up-to.ts';
import { keySecrets } from './0027-key-secrets.ts';

/**
 * Every change to the schema. They are listed in code because the gateway ships as one bundle.
 *
 * Kysely runs migrations in the order of their names, and a database records each one by its name. So a released migration can't
 * be renumbered, and a gap in the numbers has no meaning. A number is also used only once: `0013-limits-in-blocks.ts` isn't a
 * migration but a part of `0013-group-commit`.
 */
export const allMigrations = (dialect: DialectName): MigrationProvider => ({
  getMigrations: async () => ({
    '0001-books': firstTables(dialect),
    '0002-limits': limits(dialect),
    '0003-identity': identity(dialect),
    '0005-cluster': cluster(dialect),
    '0007-prices': prices(dialect),
    '0008-token-classes': tokenClasses(dialect),
    '0009-byok-fee': byokFee(dialect),
    '0011-provenance': provenance(dialect),
    '0012-findable': findable(dialect),
    '0013-group-commit': groupCommit(dialect),
    '0014-journal': flushProgress(dialect),
    '0015-purposes': purposes,
    '0016-definitions': definitions(dialect),
    '0017-kept-reasoning': reasoningState(dialect),
    '0018-web-searches': webSearches(dialect),
    '0019-image-tokens': imageTokens(dialect),
    '0020-usage-index': usageIndex,
    '0021-account-limits': accountLimits(dialect),
    '0022-model-limits': modelLimits(dialect),
    '0023-rows-by-id': rowsById(dialect),
    '0024-unknown-costs': unknownCosts,
    '0025-cost-up-to': costUpTo(dialect),
    '0027-key-secrets': keySecrets(dialect),
    '0028-price-editions': priceEditions(dialect),
  }),
});
