import type { Generated } from 'kysely';

/** The tables of migration `004-composer`: what is not sent yet, how it is sent, and what it cost. */
export interface ComposerTables {
  drafts: {
    chat: string;
    text: string;
    attachments: string;
    model: string | null;
    /** JSON: the models it is meant for, where they are several. */
    compare: Generated<string>;
    updated_at: number;
  };
  queued_messages: {
    /** Order of sending. */
    seq: number | null;
    id: string;
    conversation_id: string;
    text: string;
    attachments: string;
    model: string;
    /** JSON: the models it is meant for, where they are several. */
    compare: Generated<string>;
    /** JSON: why it was not sent. */
    problem: string | null;
  };
  chat_options: { chat: string; value: string };
  prompts: { id: string; name: string; text: string };
  presets: { id: string; name: string; value: string; for_new_chats: number };
  /** Files by the SHA-256 of their bytes; the bytes lie in the data folder. */
  attachments: {
    id: string;
    kind: 'image' | 'pdf' | 'text';
    media_type: string;
    bytes: number;
    tokens: number;
    /** When it was uploaded last: what nothing names is removed a day later. */
    used_at: number;
  };
  summaries: {
    id: string;
    conversation_id: string;
    through_id: string;
    messages: number;
    text: string;
    model: string;
    simulated: number;
    cost_usd: string | null;
    cost_source: 'billed' | 'estimated' | 'byok' | 'unknown';
    bill: string | null;
    created_at: number;
  };
  /** One row per request that may have cost something; filled by a trigger for answers. Rows are never deleted. */
  spend: {
    id: string;
    conversation_id: string;
    request_id: string | null;
    purpose: string;
    simulated: number;
    cost_usd: string | null;
    cost_source: 'billed' | 'estimated' | 'byok' | 'unknown';
    at: number;
    /** What a request that is no answer was called before it was sent, and who was asked; see `messages`. */
    client_request_id: Generated<string | null>;
    source: Generated<string | null>;
  };
}
