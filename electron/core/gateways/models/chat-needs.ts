import type { Attachment } from '#shared/contract/common/attachments.ts';
import type { Db } from '../../storage/database/db.ts';

interface Usage {
  readonly promptTokens?: number;
  readonly completionTokens?: number;
}

/**
 * What a chat asks of a model that is to go on with it. Its length is what its last answer took, since that was sent; which branch
 * an image is in is not looked at.
 */
export function chatNeeds(db: Db) {
  const getMessages = (conversationId: string) =>
    db.selectFrom('messages').where('conversation_id', '=', conversationId).where('deletion', 'is', null);
  return async ({ conversationId }: { conversationId: string }) => {
    const chat = await db
      .selectFrom('conversations')
      .select('title')
      .where('id', '=', conversationId)
      .executeTakeFirst();
    const last = await getMessages(conversationId)
      .select('usage')
      .where('usage', 'is not', null)
      .orderBy('seq', 'desc')
      .executeTakeFirst();
    if (!chat || !last?.usage) return null;
    const { promptTokens = 0, completionTokens = 0 } = JSON.parse(last.usage) as Usage;
    const sent = await getMessages(conversationId).select('attachments').where('attachments', '<>', '[]').execute();
    const files = sent.flatMap(({ attachments }) => JSON.parse(attachments) as Attachment[]);
    const called = await getMessages(conversationId).select('id').where('tool_calls', '<>', '[]').executeTakeFirst();
    return {
      title: chat.title,
      tokens: promptTokens + completionTokens,
      abilities: [...(files.some(({ kind }) => kind === 'image') ? ['vision'] : []), ...(called ? ['tools'] : [])],
    };
  };
}
