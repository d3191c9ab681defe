autocmd BufRead,BufNewFile *.harn setfiletype harn
