"""Sessions: conversations with their transcripts, reminders, inboxes, feedback and live events."""
