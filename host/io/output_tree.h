/* output_tree.h - removing a directory with all that is in it. */
#ifndef IO_OUTPUT_TREE_H
#define IO_OUTPUT_TREE_H

/* Remove the directory at path and all below it, as far as that is possible and at most eight directories deep. Errors
 * are ignored. Symbolic links are removed, not followed. May be called in a signal handler: it uses system calls and
 * the stack only. */
void output_tree_remove(const char *path);

#endif
