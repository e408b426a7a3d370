"""The lab: experiments that ask a question, measure, draw and settle their claims."""
