"""What compiled code needs: values, operators, errors, tasks and module loading."""
