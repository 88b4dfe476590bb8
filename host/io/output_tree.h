/* output_tree.h - removing a directory with all that is in it. */
#ifndef IO_OUTPUT_TREE_H
#define IO_OUTPUT_TREE_H

/* Remove the directory and everything below it, as far as that can be done. Safe in a signal handler: system calls and
 * the stack only. Symbolic links are removed, not followed. */
void output_tree_remove(const char *path);

#endif
