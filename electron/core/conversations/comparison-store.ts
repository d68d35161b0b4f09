import type { Kysely } from 'kysely';
import { refusal } from '#shared/language/refusals.ts';
import type { Db, Tables } from '../db/db.ts';
import { showThrough } from './branch.ts';
import { addAnswer, addConversation, addQuestion, mustBeThere } from './conversation-store.ts';
import type { NewAnswer, NewQuestion } from './message-store.ts';

interface Asked {
  readonly conversationId: string;
  /** The title of a new conversation; null for an existing one. */
  readonly title: string | null;
  readonly temporary: boolean;
  readonly parentId: string | null;
  readonly question: NewQuestion;
  readonly comparison: string;
  readonly answers: readonly [NewAnswer, ...NewAnswer[]];
  readonly now: number;
}

/** Comparisons: which answers belong together, and whether they are shown together. One commit per change. */
export function comparisonStore(db: Db) {
  const inOne = <T>(work: (tx: Kysely<Tables>) => Promise<T>) => db.transaction().execute(work);
  return {
    /**
     * Stores a question with a column for each model. The first column represents the comparison in the branch until
     * one is chosen.
     */
    ask: ({ conversationId: id, title, temporary, parentId, question, comparison, answers, now }: Asked) =>
      db.transaction().execute(async (tx) => {
        const [first] = answers;
        const model = first.model;
        if (title !== null) {
          await addConversation(tx, { id, title, model, temporary }, now);
        } else if (parentId !== null) await mustBeThere(tx, parentId);
        await addQuestion(tx, id, parentId, question, now);
        await tx.updateTable('messages').set({ comparing: comparison }).where('id', '=', question.id).execute();
        for (const [column, answer] of answers.entries())
          await addAnswer(tx, id, question.id, { ...answer, comparison: { id: comparison, column }, aside: true }, now);
        await tx.updateTable('conversations').set({ model, updated_at: now }).where('id', '=', id).execute();
        await showThrough(tx, id, first.id);
      }),

    /** Chooses a column as the answer; the others stay beside it. */
    choose: (messageId: string) =>
      inOne(async (tx) => {
        const row = await present(tx, messageId);
        const questionId = await questionAbove(tx, row.parent_id);
        await tx
          .updateTable('messages')
          .set({ comparing: null })
          .where('comparing', '=', row.comparison)
          .where('conversation_id', '=', row.conversation_id)
          .execute();
        await tx
          .updateTable('conversations')
          .set(row.model === null ? { active_leaf: messageId } : { active_leaf: messageId, model: row.model })
          .where('id', '=', row.conversation_id)
          .execute();
        await showThrough(tx, row.conversation_id, messageId);
        return { conversationId: row.conversation_id, questionId };
      }),

    /** Shows all columns again. */
    open: (messageId: string) =>
      inOne(async (tx) => {
        const { comparison, parent_id, conversation_id } = await present(tx, messageId);
        const questionId = await questionAbove(tx, parent_id);
        await tx.updateTable('messages').set({ comparing: comparison }).where('id', '=', questionId).execute();
        return { conversationId: conversation_id, questionId };
      }),

    /** The first answer of each column of the comparison that a question shows. */
    async answersBelow(questionId: string): Promise<string[]> {
      const rows = await db
        .selectFrom('messages as q')
        .innerJoin('messages as a', 'a.comparison', 'q.comparing')
        .select('a.id')
        .where('q.id', '=', questionId)
        .whereRef('a.parent_id', '=', 'q.id')
        .orderBy('a.seq')
        .execute();
      return rows.map(({ id }) => id);
    },

    /** Whether the branch ends in a comparison without a chosen column. */
    async undecided(conversationId: string): Promise<boolean> {
      const columns = await db
        .selectFrom('conversations as c')
        .innerJoin('messages as leaf', 'leaf.id', 'c.active_leaf')
        .innerJoin('messages as q', 'q.comparing', 'leaf.comparison')
        .innerJoin('messages as a', 'a.comparison', 'q.comparing')
        .select('a.comparison_column')
        .distinct()
        .where('c.id', '=', conversationId)
        .whereRef('q.conversation_id', '=', 'c.id')
        .whereRef('a.conversation_id', '=', 'c.id')
        .where('a.deletion', 'is', null)
        .execute();
      return columns.length > 1;
    },
  };
}

export type ComparisonStore = ReturnType<typeof comparisonStore>;

async function present(tx: Kysely<Tables>, id: string) {
  const row = await tx
    .selectFrom('messages')
    .select(['conversation_id', 'parent_id', 'comparison', 'model'])
    .where('id', '=', id)
    .where('deletion', 'is', null)
    .executeTakeFirst();
  if (!row?.comparison) throw refusal('not_found', 'comparisonGone');
  return row;
}

const roleOf = (tx: Kysely<Tables>, id: string | null) =>
  tx
    .selectFrom('messages')
    .select(['role', 'parent_id'])
    .where('id', '=', id ?? '')
    .executeTakeFirst();

/** The parent of a continuation is the part before it, that of the first part the question. */
async function questionAbove(tx: Kysely<Tables>, id: string | null): Promise<string> {
  const above = await roleOf(tx, id);
  if (id === null || !above) throw refusal('not_found', 'comparisonGone');
  return above.role === 'assistant' ? questionAbove(tx, above.parent_id) : id;
}
