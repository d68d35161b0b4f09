import { createHash } from 'node:crypto';
import type {
  ExportedConversation,
  ExportedFile,
  ExportedMessage,
} from '#shared/contract/chat/exported-conversation.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { AppError } from '#shared/errors.ts';
import { inBatches } from '../storage/database/in-batches.ts';

/** Stores attachments. */
export interface FileKeeper {
  bytes(id: string): Promise<Buffer | null>;
  /** Throws `attachment_refused` for a type or size that isn't stored. */
  check(name: string, bytes: Buffer): Promise<void>;
  keep(name: string, bytes: Buffer): Promise<Attachment>;
  find(
    id: string,
  ): Promise<{ kind: Attachment['kind']; media_type: string; bytes: number; tokens: number } | undefined>;
}

/**
 * Returns the bytes of an exported file, or why it is refused. The bytes must match their hash and be of a stored type.
 */
export async function fileBytes(
  { file, name, base64 }: ExportedFile,
  keeper: FileKeeper,
): Promise<Buffer | 'damaged_files' | 'refused_files'> {
  const bytes = Buffer.from(base64, 'base64');
  if (createHash('sha256').update(bytes).digest('hex') !== file) return 'damaged_files';
  try {
    await keeper.check(name, bytes);
    return bytes;
  } catch (error) {
    if (error instanceof AppError && error.code === 'attachment_refused') return 'refused_files';
    throw error;
  }
}

/** Describes a conversation's attachments by their bytes instead of trusting the imported file. */
export async function describedAnew(
  conversation: ExportedConversation,
  keeper: FileKeeper,
): Promise<ExportedConversation> {
  const messages: ExportedMessage[] = [];
  for await (const some of inBatches(conversation.messages)) {
    for (const message of some) messages.push(message.attachments.length === 0 ? message : await described(message));
  }
  return { ...conversation, messages };

  async function described(message: ExportedMessage): Promise<ExportedMessage> {
    const attachments = message.attachments.map(async (file) => {
      const known = await keeper.find(file.id);
      if (!known) return file;
      const { kind, media_type: mediaType, bytes, tokens } = known;
      return { id: file.id, name: file.name, kind, mediaType, bytes, tokens };
    });
    return { ...message, attachments: await Promise.all(attachments) };
  }
}

/** Returns the ids of a conversation's attachments. */
export const getFiles = (messages: readonly ExportedMessage[]): string[] =>
  messages.flatMap(({ attachments }) => attachments.map(({ id }) => id));
